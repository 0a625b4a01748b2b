// A gRPC status as the exceptions of the SDK.
package dev.millrace.internal.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.millrace.error.EngineException;
import dev.millrace.error.ErrorCode;
import dev.millrace.error.MillraceException;
import dev.millrace.error.TransportException;
import dev.millrace.error.TransportException.Kind;
import dev.millrace.error.Violation;
import dev.millrace.internal.Advice;
import dev.millrace.internal.Hints;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** By the engine's own code where the status has one, else by the status. */
final class GrpcErrors {
  private GrpcErrors() {}

  /** What was asked, of whom. */
  record Asked(Peer peer, String call, boolean hasKey) {}

  static MillraceException read(Throwable thrown, AnswerMetadata answered, Asked asked) {
    Peer peer = asked.peer();
    com.google.rpc.Status told = StatusProto.fromThrowable(thrown);
    Optional<ErrorInfo> info = detail(told, ErrorInfo.class);
    Status status = Status.fromThrowable(thrown);
    if (info.isPresent()) return refusal(code(info.get().getReason()), thrown, answered, asked);
    if (!Hints.forGrpc(said(status)).isEmpty()) return unavailable(status, peer);
    return switch (status.getCode()) {
      case UNAVAILABLE -> unavailable(status, peer);
      case DEADLINE_EXCEEDED ->
          new TransportException(Kind.TIMEOUT, "no answer from " + peer + " in time", thrown);
      case CANCELLED, UNKNOWN ->
          new TransportException(
              Kind.INTERRUPTED, "the call to " + peer + " ended: " + text(status), thrown);
      default -> refusal(codeOf(status.getCode()), thrown, answered, asked);
    };
  }

  /** Reasons are spelled NOT_FOUND there, and not-found here. */
  private static String code(String reason) {
    return reason.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static EngineException refusal(
      String code, Throwable thrown, AnswerMetadata answered, Asked asked) {
    com.google.rpc.Status told = StatusProto.fromThrowable(thrown);
    int http = ErrorCode.of(code).map(ErrorCode::status).orElse(500);
    return Advice.on(
        new EngineException.Refusal(
            code,
            http,
            text(Status.fromThrowable(thrown)),
            answered.requestId(),
            detail(told, BadRequest.class).map(GrpcErrors::violations).orElse(List.of()),
            detail(told, RetryInfo.class).map(GrpcErrors::delay).orElse(null)),
        new Advice.Refused(
            asked.peer().toString(), asked.call(), answered.serverVersion(), asked.hasKey()));
  }

  private static List<Violation> violations(BadRequest request) {
    return request.getFieldViolationsList().stream().map(GrpcErrors::violation).toList();
  }

  /** Takes apart "message: hint": where there is a hint, the message stands beside it alone. */
  private static Violation violation(BadRequest.FieldViolation one) {
    String said = one.getDescription();
    String message = one.getLocalizedMessage().getMessage();
    if (message.isEmpty() || !said.startsWith(message + ": "))
      return new Violation(one.getField(), said, null);
    return new Violation(one.getField(), message, said.substring(message.length() + 2));
  }

  private static Duration delay(RetryInfo info) {
    return Duration.ofSeconds(info.getRetryDelay().getSeconds(), info.getRetryDelay().getNanos());
  }

  private static <T extends Message> Optional<T> detail(com.google.rpc.Status told, Class<T> type) {
    if (told == null) return Optional.empty();
    for (Any detail : told.getDetailsList())
      if (detail.is(type))
        try {
          return Optional.of(detail.unpack(type));
        } catch (InvalidProtocolBufferException unreadable) {
          return Optional.empty();
        }
    return Optional.empty();
  }

  /** Of a refusal without details, as gRPC itself or a proxy makes it. */
  private static String codeOf(Status.Code status) {
    return switch (status) {
      case ALREADY_EXISTS, ABORTED -> ErrorCode.CONFLICT.wire();
      case OUT_OF_RANGE -> ErrorCode.BAD_REQUEST.wire();
      case RESOURCE_EXHAUSTED -> ErrorCode.RATE_LIMITED.wire();
      default -> {
        for (ErrorCode code : ErrorCode.values())
          if (code.grpcStatus().equals(status.name())) yield code.wire();
        yield ErrorCode.INTERNAL_ERROR.wire();
      }
    };
  }

  private static TransportException unavailable(Status status, Peer peer) {
    String hint = Hints.forGrpc(said(status));
    if (!hint.isEmpty())
      return new TransportException(
          Hints.isCut(said(status)) ? Kind.INTERRUPTED : Kind.UNREACHABLE,
          "the connection to " + peer + " failed" + hint,
          status.getCause());
    if (has(status, ConnectException.class))
      return new TransportException(
          Kind.UNREACHABLE,
          "no connection to "
              + peer
              + ": is the engine running, and is this its gRPC port (9090 unless set otherwise)?",
          status.getCause());
    return new TransportException(
        Kind.INTERRUPTED,
        "the connection to " + peer + " failed: " + said(status),
        status.getCause());
  }

  private static boolean has(Status status, Class<? extends Throwable> type) {
    for (Throwable at = status.getCause(); at != null; at = at.getCause())
      if (type.isInstance(at)) return true;
    return false;
  }

  /** The description of the status and of what caused it. */
  private static String said(Status status) {
    StringBuilder causes = new StringBuilder(text(status));
    for (Throwable at = status.getCause(); at != null; at = at.getCause())
      causes.append(": ").append(at.getMessage());
    return causes.toString();
  }

  private static String text(Status status) {
    String description = status.getDescription();
    return description == null ? status.getCode().name() : description;
  }
}
