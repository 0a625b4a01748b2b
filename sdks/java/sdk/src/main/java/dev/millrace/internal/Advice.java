// What to do about a refusal, said in its message: a wrong key, a wrong port, an engine that is
// older than the call.
package dev.millrace.internal;

import dev.millrace.SdkVersion;
import dev.millrace.error.EngineException;
import dev.millrace.error.EngineException.Refusal;
import dev.millrace.error.ServerTooOldException;

public final class Advice {
  private static final String PORTS =
      "An engine has REST on 8080, gRPC on 9090 and metrics on 9091 unless told otherwise.";

  /**
   * How an engine says that it knows no such route; what is not there is refused in other words.
   */
  private static final String NO_SUCH_ROUTE = "there is no such route";

  private Advice() {}

  /**
   * What was refused.
   *
   * @param call {@code POST /v1/jobs/exchange}, or the operation's name
   * @param serverVersion what the engine told of itself; null where it told nothing
   */
  public record Refused(String address, String call, String serverVersion, boolean hasKey) {}

  /** The exception for a refusal, with a sentence of what to do about it. */
  public static EngineException on(Refusal refusal, Refused refused) {
    if (isUnknownCall(refusal)) return unknownCall(refusal, refused);
    return EngineException.of(advised(refusal, adviceOn(refusal, refused)));
  }

  private static String adviceOn(Refusal refusal, Refused refused) {
    if (refusal.code().startsWith("http-4") && refused.serverVersion() == null)
      return "This is no answer of an engine: is "
          + refused.address()
          + " the right address? "
          + PORTS;
    if (refusal.status() == 401)
      return refused.hasKey()
          ? "Check the apiKey of the client: `millrace keys list` shows which there are, `millrace"
              + " keys create` makes one."
          : "Give the client an apiKey: `millrace keys create` makes one.";
    if (refusal.status() == 403)
      return "Use a key whose scopes cover this call: `millrace keys list` shows them.";
    return "";
  }

  private static boolean isUnknownCall(Refusal refusal) {
    return refusal.status() == 405
        || (refusal.status() == 404 && refusal.message().equals(NO_SUCH_ROUTE));
  }

  /** The port for metrics refuses a route alike, and is no older than the SDK. */
  private static EngineException unknownCall(Refusal refusal, Refused refused) {
    if (!isOld(refused))
      return EngineException.of(
          advised(
              refusal,
              "Is "
                  + refused.address()
                  + " the right address, and the engine new enough? "
                  + PORTS));
    return new ServerTooOldException(
        refusal,
        "the engine at "
            + refused.address()
            + (refused.serverVersion() == null
                ? " is older than this SDK"
                : " is version " + refused.serverVersion())
            + " and does not know "
            + refused.call()
            + ": upgrade it to "
            + SdkVersion.get()
            + " or newer, the version of this SDK, or do without this call");
  }

  /** What refuses an RPC and tells no version is old; a route is refused by strangers too. */
  private static boolean isOld(Refused refused) {
    if (refused.serverVersion() == null) return !refused.call().contains(" ");
    return ServerVersion.isOlder(refused.serverVersion(), SdkVersion.get());
  }

  private static Refusal advised(Refusal refusal, String advice) {
    if (advice.isEmpty()) return refusal;
    String said =
        refusal.message().matches(".*[.!?]") ? refusal.message() : refusal.message() + ".";
    return refusal.withMessage(said + " " + advice);
  }
}
