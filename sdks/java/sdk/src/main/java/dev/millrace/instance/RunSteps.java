// The steps of an instance, alike for a list, a function and a graph.
package dev.millrace.instance;

import dev.millrace.internal.FieldName;
import dev.millrace.internal.OptionalList;
import java.time.Instant;
import java.util.List;

/**
 * The steps of an instance, alike for a list, a function and a graph.
 *
 * @param form list, function or graph
 * @param currentSteps the steps that it works on or waits at, by their own names
 */
public record RunSteps(String form, List<String> currentSteps, List<Step> items) {
  /**
   * A step. A list has all of its steps, a function its calls so far, a graph each entry into a
   * step.
   *
   * @param attemptNumber counts the entries into a step of a graph
   * @param startedAt null where it was not reached or where that is not known
   * @param endedAt null unless it has ended
   * @param failureReason null unless it failed
   * @param stack of its error; null where the worker has not told it
   * @param isTolerated true where it has failed and the run went on; null otherwise
   * @param output what the step returned; of a graph what it changed in the variables
   * @param workerId null where no worker is known
   * @param waitsFor what it waits for or has waited for; null where nothing
   * @param branch the branches of a function that it belongs to, the outermost first
   * @param childId the instance that it has started; null where none
   * @param attempts attempts at it that ended before without ending it, oldest first
   */
  public record Step(
      String id,
      String stepId,
      String stepType,
      int attemptNumber,
      Status status,
      Instant startedAt,
      Instant endedAt,
      String failureReason,
      String stack,
      Boolean isTolerated,
      Object output,
      String workerId,
      @FieldName("wait") Wait waitsFor,
      @OptionalList List<String> branch,
      String childId,
      @OptionalList List<Attempt> attempts) {}

  /** Where a step is. */
  public enum Status {
    /** It has not been reached. */
    PENDING,
    RUNNING,
    /** It holds no worker. */
    WAITING,
    COMPLETED,
    FAILED,
    SKIPPED,
    /** A word of an engine that is newer than this SDK. */
    UNRECOGNIZED
  }

  /**
   * What a step waits for.
   *
   * @param kind sleep, signal, user-task, child, retry, or another kind of {@link WaitingReason}
   * @param message in words; null unless it waits now
   * @param dueAt null where no time is known
   */
  public record Wait(String kind, String message, Instant dueAt) {}

  /**
   * An attempt that ended without ending the step.
   *
   * @param outcome failed, timed-out or lost
   * @param stack of its error; null where the worker has not told it
   * @param startedAt null where that is not known
   * @param workerId null where it is not known
   */
  public record Attempt(
      int attempt,
      String outcome,
      String error,
      String stack,
      Instant startedAt,
      Instant endedAt,
      String workerId) {}
}
