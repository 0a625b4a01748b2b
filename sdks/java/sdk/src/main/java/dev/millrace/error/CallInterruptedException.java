// The thread of a call was interrupted.
package dev.millrace.error;

/** The caller's thread was interrupted; its flag is set again. The call may have had its effect. */
public final class CallInterruptedException extends MillraceException {
  public CallInterruptedException(String message, Throwable cause) {
    super(message, cause);
  }
}
