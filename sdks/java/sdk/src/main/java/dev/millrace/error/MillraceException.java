// The root of what a call to the engine can throw.
package dev.millrace.error;

/**
 * A call failed. {@link EngineException}: the engine refused it. {@link TransportException}: no
 * answer arrived.
 */
public abstract class MillraceException extends RuntimeException {
  protected MillraceException(String message, Throwable cause) {
    super(message, cause);
  }

  /** True when the same call may succeed later. */
  public boolean retryable() {
    return false;
  }
}
