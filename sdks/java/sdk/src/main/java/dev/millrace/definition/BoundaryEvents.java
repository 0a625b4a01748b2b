// What may happen at the boundary of a step: a timer goes off, or the step fails for good.
package dev.millrace.definition;

import dev.millrace.internal.Call;
import java.time.Duration;

final class BoundaryEvents {
  private BoundaryEvents() {}

  static Object timer(Duration duration, boolean interrupting, String targetStepId) {
    return Call.arguments(
        "type", "TIMER",
        "duration", duration,
        "interrupting", interrupting,
        "targetStepId", targetStepId);
  }

  static Object error(String targetStepId) {
    return Call.arguments("type", "ERROR", "interrupting", true, "targetStepId", targetStepId);
  }
}
