// The timer at the boundary of a step.
package dev.millrace.definition;

import dev.millrace.internal.Call;
import java.time.Duration;

final class Timers {
  private Timers() {}

  static Object of(Duration duration, boolean interrupting, String targetStepId) {
    return Call.arguments(
        "type", "TIMER",
        "duration", duration,
        "interrupting", interrupting,
        "targetStepId", targetStepId);
  }
}
