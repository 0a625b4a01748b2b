// The engine is older than this SDK can use.
package dev.millrace.error;

/** The engine's version is below what this SDK needs: upgrade the engine first. */
public final class ServerTooOldException extends MillraceException {
  public ServerTooOldException(String message) {
    super(message, null);
  }
}
