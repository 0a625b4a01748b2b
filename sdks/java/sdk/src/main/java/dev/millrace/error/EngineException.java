// The engine answered and refused.
package dev.millrace.error;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The engine, or a proxy before it, refused a call. Subclasses name what a caller may want to
 * catch.
 */
public class EngineException extends MillraceException {
  /** 502 and 504 come from a proxy in front of the engine: it never answered. */
  private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);

  private final transient Refusal refusal;

  protected EngineException(Refusal refusal) {
    super(refusal.message(), null);
    this.refusal = refusal;
  }

  /**
   * What was answered.
   *
   * @param code of the catalogue, or {@code http-<status>} when something before the engine
   *     answered
   * @param status of HTTP, or of the catalogue where the answer came over gRPC
   * @param message for people
   * @param requestId also in the engine's log; null where none came
   * @param details every violation; empty where none came
   * @param retryAfter how long the engine asks to wait; null where it does not
   */
  public record Refusal(
      String code,
      int status,
      String message,
      String requestId,
      List<Violation> details,
      Duration retryAfter) {
    /** The same in other words. */
    public Refusal withMessage(String other) {
      return new Refusal(code, status, other, requestId, details, retryAfter);
    }
  }

  /** The exception that fits the code, or else the status. */
  public static EngineException of(Refusal refusal) {
    return switch (refusal.status()) {
      case 400, 413, 415, 422 -> new InvalidRequestException(refusal);
      case 401, 403, 421 -> new AccessDeniedException(refusal);
      case 404 -> new NotFoundException(refusal);
      case 409 ->
          refusal.code().equals("lease-lost")
              ? new LeaseLostException(refusal)
              : new ConflictException(refusal);
      case 429, 503 -> new OverloadedException(refusal);
      default -> new EngineException(refusal);
    };
  }

  /** A code of the catalogue, or {@code http-<status>}. */
  public String code() {
    return refusal.code();
  }

  /** The code as this SDK knows it; empty for one of a newer engine. */
  public Optional<ErrorCode> errorCode() {
    return ErrorCode.of(refusal.code());
  }

  public int status() {
    return refusal.status();
  }

  /** Also in the engine's log; null where none came. */
  public String requestId() {
    return refusal.requestId();
  }

  /** Every violation of a request that was refused for its content. */
  public List<Violation> details() {
    return refusal.details();
  }

  /** How long the engine asks to wait. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(refusal.retryAfter());
  }

  @Override
  public boolean retryable() {
    return RETRYABLE.contains(status());
  }
}
