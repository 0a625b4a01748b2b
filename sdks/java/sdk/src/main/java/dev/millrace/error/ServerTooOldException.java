// The engine is older than this SDK, or than a call.
package dev.millrace.error;

import java.util.List;

/** The engine is too old for this SDK, or knows no such call: upgrade the engine first. */
public final class ServerTooOldException extends EngineException {
  private static final String CODE = "server-too-old";

  /** {@code refusal} is how the engine said that it does not know the call. */
  public ServerTooOldException(Refusal refusal, String message) {
    super(
        new Refusal(CODE, refusal.status(), message, refusal.requestId(), refusal.details(), null));
  }

  public ServerTooOldException(String message) {
    super(new Refusal(CODE, 501, message, null, List.of(), null));
  }
}
