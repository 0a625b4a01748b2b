// A failure that names the time of the next attempt.
package dev.millrace.worker;

import java.time.Duration;

/** Try again, but not before that much time. Spends a retry like any other failure. */
public class RetryLaterException extends RuntimeException {
  private final Duration after;

  public RetryLaterException(String message, Duration after) {
    this(message, after, null);
  }

  public RetryLaterException(String message, Duration after, Throwable cause) {
    super(message, cause);
    if (after.isNegative()) throw new IllegalArgumentException("the time must not be negative");
    this.after = after;
  }

  public Duration after() {
    return after;
  }
}
