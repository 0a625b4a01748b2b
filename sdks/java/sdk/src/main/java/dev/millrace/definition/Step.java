// The steps of a definition.
package dev.millrace.definition;

import dev.millrace.JsonObject;
import dev.millrace.internal.Fields;

/** A step; made by the methods here. The name is the id unless set otherwise. */
public sealed interface Step extends JsonObject
    permits ServiceTask, UserTaskStep, Decision, Transformation, WaitStep, Gateway, End {
  /** A job for a worker. */
  static ServiceTask serviceTask(String id, String jobType) {
    return new ServiceTask(start(id, "SERVICE_TASK").with("jobType", jobType));
  }

  /** Work for a person. */
  static UserTaskStep userTask(String id) {
    return new UserTaskStep(start(id, "USER_TASK"));
  }

  /** Chooses the next step; none true fails the instance. */
  static Decision decision(String id) {
    return new Decision(start(id, "DECISION"));
  }

  /** Sets variables. */
  static Transformation transformation(String id) {
    return new Transformation(start(id, "TRANSFORMATION"));
  }

  /** Parks until a signal or a timer. */
  static WaitStep waitFor(String id) {
    return new WaitStep(start(id, "WAIT"));
  }

  /** Starts every branch at once; they meet at the join. */
  static Gateway parallel(String id, String joinStep, String... branches) {
    return new Gateway(
        start(id, "PARALLEL_GATEWAY")
            .with("parallelNextSteps", java.util.List.of(branches))
            .with("joinStep", joinStep));
  }

  /** Goes on once, when every branch has arrived. */
  static Gateway join(String id, String nextStep) {
    return new Gateway(start(id, "JOIN_GATEWAY").with("nextStep", nextStep));
  }

  /** Completes the instance. */
  static End end(String id) {
    return new End(start(id, "END"));
  }

  private static Fields start(String id, String type) {
    return Fields.NONE.with("id", id).with("name", id).with("type", type);
  }
}
