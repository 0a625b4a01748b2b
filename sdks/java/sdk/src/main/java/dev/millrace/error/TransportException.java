// The engine could not be reached, or its answer did not arrive.
package dev.millrace.error;

/** No answer arrived. All kinds but {@link Kind#UNREACHABLE} may have had their effect. */
public final class TransportException extends MillraceException {
  /** How far the call came. */
  public enum Kind {
    /** No connection; the request was never sent. */
    UNREACHABLE,
    /** The connection broke; the engine may or may not have acted. */
    INTERRUPTED,
    /** No answer in time, likewise. */
    TIMEOUT,
    /** The answer is not what an engine answers. */
    MALFORMED
  }

  private final Kind kind;

  public TransportException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
