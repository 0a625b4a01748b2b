// A call that gRPC does not have, on a client without a REST address.
package dev.millrace.error;

/**
 * The gRPC service has no such call, and the client was given no {@code restUrl}. Nothing was sent.
 */
public final class RestAddressNeededException extends MillraceException {
  public RestAddressNeededException(String operation) {
    super(
        operation
            + " is not served over gRPC: give the client the engine's REST address beside its own,"
            + " EngineClient.builder(url).restUrl(\"http://127.0.0.1:8080\")",
        null);
  }
}
