// How a job failed, as the engine is told.
package dev.millrace.job;

import java.time.Duration;

/**
 * How a job failed. Immutable: every method gives a new one.
 *
 * @param retryable whether another attempt may help
 * @param errorMessage for people; empty where there is nothing to say
 * @param retryAfter until the next attempt, instead of the retry policy's delay; null for that
 * @param downstreamStatus the HTTP status by which the system that the job calls pushed back: 429,
 *     503, or 504 when it did not answer in time; null where it did not
 * @param stack where the error was thrown, for the page of the run; null where that is not known
 */
public record Failure(
    boolean retryable,
    String errorMessage,
    Duration retryAfter,
    Integer downstreamStatus,
    String stack) {
  /** Without a stack. */
  public Failure(
      boolean retryable, String errorMessage, Duration retryAfter, Integer downstreamStatus) {
    this(retryable, errorMessage, retryAfter, downstreamStatus, null);
  }

  public static Failure retryable(String errorMessage) {
    return new Failure(true, errorMessage, null, null);
  }

  public static Failure forGood(String errorMessage) {
    return new Failure(false, errorMessage, null, null);
  }

  public Failure retryAfter(Duration wait) {
    return new Failure(retryable, errorMessage, wait, downstreamStatus, stack);
  }

  public Failure downstreamStatus(Integer status) {
    return new Failure(retryable, errorMessage, retryAfter, status, stack);
  }

  public Failure stack(String stack) {
    return new Failure(retryable, errorMessage, retryAfter, downstreamStatus, stack);
  }

  /** In seconds, as it travels; null where it is the policy's. */
  public Double retryAfterSeconds() {
    return retryAfter == null ? null : retryAfter.toMillis() / 1000.0;
  }
}
