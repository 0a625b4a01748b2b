// Parks until a signal or a timer.
package dev.millrace.definition;

import dev.millrace.internal.Fields;
import java.time.Duration;
import java.util.Map;

/** Parks until a signal or a timer. Immutable: every method gives a new one. */
public final class WaitStep implements Step {
  private final Fields fields;

  WaitStep(Fields fields) {
    this.fields = fields;
  }

  public WaitStep name(String name) {
    return with("name", name);
  }

  public WaitStep description(String description) {
    return with("description", description);
  }

  public WaitStep next(String stepId) {
    return with("nextStep", stepId);
  }

  public WaitStep timeout(Duration total) {
    return with("timeout", Map.of("total", total));
  }

  /** A failure is recorded and the run goes on. */
  public WaitStep continueOnError() {
    return with("onError", "continue");
  }

  /** After this time the target runs beside the step. */
  public WaitStep remindAfter(Duration duration, String targetStepId) {
    return new WaitStep(fields.adding("boundaryEvents", Timers.of(duration, false, targetStepId)));
  }

  /** After this time the step is interrupted and the target runs instead. */
  public WaitStep interruptAfter(Duration duration, String targetStepId) {
    return new WaitStep(fields.adding("boundaryEvents", Timers.of(duration, true, targetStepId)));
  }

  private WaitStep with(String name, Object value) {
    return new WaitStep(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
