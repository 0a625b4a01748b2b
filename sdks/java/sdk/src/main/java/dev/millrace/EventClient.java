// Events: what has happened, published for every sink.
package dev.millrace;

import static dev.millrace.internal.Call.arguments;

import dev.millrace.internal.Caller;
import dev.millrace.internal.Operation;
import java.util.Map;

/** Events: over REST, also for a client of gRPC. */
public final class EventClient {
  private final Caller caller;

  EventClient(Caller caller) {
    this.caller = caller;
  }

  /** An event without a key: it has no order among others. */
  public String publish(String type, Map<String, ?> payload) {
    return publish(type, payload, null, null);
  }

  /**
   * Returns its id, which stays the same however often it is delivered. Events of one key are
   * delivered in the order in which they were published; key and headers may be null.
   */
  public String publish(
      String type, Map<String, ?> payload, String key, Map<String, String> headers) {
    Map<String, Object> asked =
        arguments("type", type, "payload", payload, "key", key, "headers", headers);
    Operation operation = Operation.PUBLISH_EVENT;
    Object answer = caller.call(operation, asked);
    return caller.read(operation, answer, a -> (String) ((Map<?, ?>) a).get("id"));
  }
}
