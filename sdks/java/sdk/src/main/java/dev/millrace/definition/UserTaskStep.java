// Work for a person.
package dev.millrace.definition;

import dev.millrace.internal.Fields;
import java.time.Duration;
import java.util.Map;

/** Work for a person. Immutable: every method gives a new one. */
public final class UserTaskStep implements Step {
  private final Fields fields;

  UserTaskStep(Fields fields) {
    this.fields = fields;
  }

  public UserTaskStep name(String name) {
    return with("name", name);
  }

  public UserTaskStep description(String description) {
    return with("description", description);
  }

  public UserTaskStep next(String stepId) {
    return with("nextStep", stepId);
  }

  /** The first condition that is true wins, in the order in which they are added. */
  public UserTaskStep when(String condition, String stepId) {
    return new UserTaskStep(fields.putting("conditionalNextSteps", condition, stepId));
  }

  /** A routing label. */
  public UserTaskStep jobType(String label) {
    return with("jobType", label);
  }

  public UserTaskStep assignee(String assignee) {
    return with("assignee", assignee);
  }

  public UserTaskStep assigneeGroup(String group) {
    return with("assigneeGroup", group);
  }

  public UserTaskStep dueIn(Duration duration) {
    return with("dueIn", duration);
  }

  /** What the person is asked for. */
  public UserTaskStep form(VariableSchema form) {
    return with("form", form);
  }

  public UserTaskStep outputSchema(VariableSchema schema) {
    return with("outputSchema", schema);
  }

  public UserTaskStep timeout(Duration total) {
    return with("timeout", Map.of("total", total));
  }

  /** A failure is recorded and the run goes on. */
  public UserTaskStep continueOnError() {
    return with("onError", "continue");
  }

  /** After this time the target runs beside the step. */
  public UserTaskStep remindAfter(Duration duration, String targetStepId) {
    return new UserTaskStep(
        fields.adding("boundaryEvents", BoundaryEvents.timer(duration, false, targetStepId)));
  }

  /** After this time the step is interrupted and the target runs instead. */
  public UserTaskStep interruptAfter(Duration duration, String targetStepId) {
    return new UserTaskStep(
        fields.adding("boundaryEvents", BoundaryEvents.timer(duration, true, targetStepId)));
  }

  /** When the step fails for good the target runs in its place, with the variable {@code error}. */
  public UserTaskStep onFailure(String targetStepId) {
    return new UserTaskStep(fields.adding("boundaryEvents", BoundaryEvents.error(targetStepId)));
  }

  private UserTaskStep with(String name, Object value) {
    return new UserTaskStep(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
