// A job for a worker.
package dev.millrace.definition;

import dev.millrace.Priority;
import dev.millrace.internal.Call;
import dev.millrace.internal.Fields;
import java.time.Duration;
import java.util.Map;

/** A job for a worker. Immutable: every method gives a new one. */
public final class ServiceTask implements Step {
  private final Fields fields;

  ServiceTask(Fields fields) {
    this.fields = fields;
  }

  public ServiceTask name(String name) {
    return with("name", name);
  }

  public ServiceTask description(String description) {
    return with("description", description);
  }

  public ServiceTask next(String stepId) {
    return with("nextStep", stepId);
  }

  /** The first condition that is true wins, in the order in which they are added. */
  public ServiceTask when(String condition, String stepId) {
    return new ServiceTask(fields.putting("conditionalNextSteps", condition, stepId));
  }

  /** Short for a policy that says nothing but how often. */
  public ServiceTask retryCount(int retries) {
    return with("retryCount", retries);
  }

  public ServiceTask retry(RetryPolicy policy) {
    return with("retry", policy);
  }

  /** Of one attempt's run, of the wait for a worker, of the step in total; null is not limited. */
  public ServiceTask timeout(Duration run, Duration queue, Duration total) {
    return with("timeout", Call.arguments("run", run, "queue", queue, "total", total));
  }

  /** A failure is recorded and the run goes on. */
  public ServiceTask continueOnError() {
    return with("onError", "continue");
  }

  public ServiceTask priority(Priority priority) {
    return with("priority", priority);
  }

  /** The system it calls, whose limits it keeps to. */
  public ServiceTask downstream(String downstream) {
    return with("downstream", downstream);
  }

  /** What the returned variables must fit. */
  public ServiceTask outputSchema(VariableSchema schema) {
    return with("outputSchema", schema);
  }

  /** After this time the target runs beside the step. */
  public ServiceTask remindAfter(Duration duration, String targetStepId) {
    return new ServiceTask(
        fields.adding("boundaryEvents", BoundaryEvents.timer(duration, false, targetStepId)));
  }

  /** After this time the step is interrupted and the target runs instead. */
  public ServiceTask interruptAfter(Duration duration, String targetStepId) {
    return new ServiceTask(
        fields.adding("boundaryEvents", BoundaryEvents.timer(duration, true, targetStepId)));
  }

  /** When the step fails for good the target runs in its place, with the variable {@code error}. */
  public ServiceTask onFailure(String targetStepId) {
    return new ServiceTask(fields.adding("boundaryEvents", BoundaryEvents.error(targetStepId)));
  }

  private ServiceTask with(String name, Object value) {
    return new ServiceTask(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
