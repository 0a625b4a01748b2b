// Calls over gRPC.
package dev.millrace.internal.grpc;

import com.google.protobuf.Message;
import dev.millrace.error.CallInterruptedException;
import dev.millrace.internal.Addresses;
import dev.millrace.internal.Call;
import dev.millrace.internal.CallHeaders;
import dev.millrace.internal.ClientSettings;
import dev.millrace.internal.Operation;
import dev.millrace.internal.Repeater;
import dev.millrace.internal.Transport;
import dev.millrace.job.JobStream;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The calls that the service has; the rest needs REST. */
public final class GrpcTransport implements Transport {
  private final CallHeaders headers;
  private final Addresses<Peer> peers;
  private final Repeater<Peer> repeater;

  GrpcTransport(ClientSettings settings, List<Peer> peers) {
    this.headers = new CallHeaders(settings);
    this.peers = new Addresses<>(peers);
    this.repeater = new Repeater<>(settings, this.peers);
  }

  /** Connects on first use; a library that is missing or too old is found at once. */
  public static Transport open(ClientSettings settings) {
    GrpcOperation.find(Operation.POLL).orElseThrow().request(Map.of());
    byte[] trusted = settings.trustedCertificates();
    return new GrpcTransport(
        settings, settings.urls().stream().map(url -> Peer.connect(url, trusted)).toList());
  }

  @Override
  public boolean has(Operation operation) {
    return GrpcOperation.find(operation).isPresent();
  }

  @Override
  public Object call(Call call) {
    GrpcOperation operation = GrpcOperation.find(call.operation()).orElseThrow();
    Message request = operation.request(call.arguments());
    Map<String, String> sent = headers.of(call);
    boolean keyed = sent.containsKey(CallHeaders.IDEMPOTENCY_KEY);
    return operation.answer(
        (Message)
            repeater.run(
                call, keyed, (peer, timeout) -> send(peer, operation, request, sent, timeout)));
  }

  private static Message send(
      Peer peer,
      GrpcOperation operation,
      Message request,
      Map<String, String> sent,
      Duration timeout) {
    AnswerMetadata answered = new AnswerMetadata();
    CallOptions options =
        CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
    try {
      Message answer =
          ClientCalls.blockingUnaryCall(
              peer.channel(sent, answered), operation.method(), options, request);
      answered.note(operation.operation());
      return answer;
    } catch (StatusRuntimeException refused) {
      if (isInterrupt(refused))
        throw new CallInterruptedException(
            "interrupted during " + operation.operation().id(), refused);
      answered.note(operation.operation());
      boolean hasKey = sent.containsKey(CallHeaders.AUTHORIZATION);
      String asked = operation.method().getBareMethodName();
      throw GrpcErrors.read(refused, answered, new GrpcErrors.Asked(peer, asked, hasKey));
    }
  }

  private static boolean isInterrupt(StatusRuntimeException refused) {
    return refused.getStatus().getCode() == Status.Code.CANCELLED
        && Thread.currentThread().isInterrupted();
  }

  @Override
  public boolean hasStream() {
    return true;
  }

  @Override
  public JobStream stream(JobStream.Opening opening, JobStream.Listener listener) {
    Peer peer = peers.current();
    return GrpcJobStream.open(
        peer, headers.ofStream(), opening, new LeavingListener(peers, peer, listener));
  }

  /** A stream that the connection ended goes on at another address. */
  private record LeavingListener(Addresses<Peer> peers, Peer peer, JobStream.Listener listener)
      implements JobStream.Listener {
    @Override
    public void jobs(List<dev.millrace.job.Job> jobs) {
      listener.jobs(jobs);
    }

    @Override
    public void ended(Throwable failure) {
      if (failure != null) peers.leave(peer);
      listener.ended(failure);
    }
  }

  @Override
  public void close() {
    peers.all().forEach(Peer::close);
  }
}
