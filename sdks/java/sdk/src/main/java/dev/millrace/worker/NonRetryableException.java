// A failure for good.
package dev.millrace.worker;

/** Trying again cannot help: the job fails at once, whatever retries it has left. */
public class NonRetryableException extends RuntimeException {
  public NonRetryableException(String message) {
    super(message);
  }

  public NonRetryableException(String message, Throwable cause) {
    super(message, cause);
  }
}
