// One execution of a step.
package dev.millrace.instance;

import dev.millrace.internal.OptionalList;
import java.time.Instant;
import java.util.List;

/**
 * One execution of a step.
 *
 * @param attemptNumber counts the entries into this step
 * @param endedAt null while it runs
 * @param failureReason null unless it failed
 * @param output what the step changed in the variables; null where nothing
 * @param workerId the worker that reported its end or holds its job now; null where none
 * @param attempts deliveries that ended before without ending the step, oldest first
 */
public record StepExecution(
    String id,
    String instanceId,
    String stepId,
    String stepType,
    int attemptNumber,
    StepStatus status,
    Instant startedAt,
    Instant endedAt,
    String failureReason,
    Object output,
    String workerId,
    @OptionalList List<Attempt> attempts) {
  /**
   * A delivery that ended without ending the step.
   *
   * @param outcome failed, timed-out or lost
   * @param workerId null where it is not known
   */
  public record Attempt(
      int attempt, String outcome, String error, Instant endedAt, String workerId) {}
}
