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

  /** A signal that comes before the wait is kept for it. */
  public WaitStep keepEarly() {
    return with("keepEarly", true);
  }

  /** The wait completes after this time, if no signal has ended it before. */
  public WaitStep duration(Duration duration) {
    return with("duration", duration);
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
    return new WaitStep(
        fields.adding("boundaryEvents", BoundaryEvents.timer(duration, false, targetStepId)));
  }

  /** After this time the step is interrupted and the target runs instead. */
  public WaitStep interruptAfter(Duration duration, String targetStepId) {
    return new WaitStep(
        fields.adding("boundaryEvents", BoundaryEvents.timer(duration, true, targetStepId)));
  }

  /** When the step fails for good the target runs in its place, with the variable {@code error}. */
  public WaitStep onFailure(String targetStepId) {
    return new WaitStep(fields.adding("boundaryEvents", BoundaryEvents.error(targetStepId)));
  }

  private WaitStep with(String name, Object value) {
    return new WaitStep(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
