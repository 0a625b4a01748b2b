// The system that a job calls pushed back.
package dev.millrace.worker;

import java.time.Duration;

/**
 * The system that a job calls pushed back with 429 or 503. The job is tried again, and jobs for the
 * same downstream are handed out more slowly.
 */
public class PushbackException extends RuntimeException {
  private final int status;
  private final Duration retryAfter;

  /**
   * As the system answered.
   *
   * @param retryAfter what it asked for; null where it asked for nothing
   */
  public PushbackException(String message, int status, Duration retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  public int status() {
    return status;
  }

  /** Null where it asked for nothing. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
