// The catalogue of contracts/errors.yaml; a test holds the two together.
package dev.millrace.error;

import dev.millrace.internal.WireName;
import java.util.Optional;

/** Why the engine refused, as its catalogue of errors names it. */
public enum ErrorCode implements WireName {
  BAD_REQUEST(400, "INVALID_ARGUMENT"),
  UNAUTHENTICATED(401, "UNAUTHENTICATED"),
  FORBIDDEN(403, "PERMISSION_DENIED"),
  NOT_FOUND(404, "NOT_FOUND"),
  METHOD_NOT_ALLOWED(405, "UNIMPLEMENTED"),
  CONFLICT(409, "FAILED_PRECONDITION"),
  LEASE_LOST(409, "FAILED_PRECONDITION"),
  POLLING_DISABLED(410, "FAILED_PRECONDITION"),
  PAYLOAD_TOO_LARGE(413, "RESOURCE_EXHAUSTED"),
  UNSUPPORTED_FORMAT(415, "INVALID_ARGUMENT"),
  MISDIRECTED_REQUEST(421, "PERMISSION_DENIED"),
  IDEMPOTENCY_MISMATCH(422, "INVALID_ARGUMENT"),
  UNPROCESSABLE(422, "INVALID_ARGUMENT"),
  RATE_LIMITED(429, "RESOURCE_EXHAUSTED"),
  INTERNAL_ERROR(500, "INTERNAL"),
  BAD_GATEWAY(502, "UNAVAILABLE"),
  BACKPRESSURE(503, "RESOURCE_EXHAUSTED"),
  UNAVAILABLE(503, "UNAVAILABLE"),
  GATEWAY_TIMEOUT(504, "UNAVAILABLE");

  private final int status;
  private final String grpcStatus;

  ErrorCode(int status, String grpcStatus) {
    this.status = status;
    this.grpcStatus = grpcStatus;
  }

  /** The HTTP status of this refusal. */
  public int status() {
    return status;
  }

  /** The name of its gRPC status. */
  public String grpcStatus() {
    return grpcStatus;
  }

  /** As it travels: {@code not-found}. */
  @Override
  public String wire() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  /** Empty for a code of an engine that is newer than this SDK. */
  public static Optional<ErrorCode> of(String wire) {
    return Optional.ofNullable((ErrorCode) WireName.constant(ErrorCode.class, wire));
  }
}
