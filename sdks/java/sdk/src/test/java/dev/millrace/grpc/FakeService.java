// A gRPC engine of the tests: answers as scripted, and writes down what it is told.
package dev.millrace.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import dev.millrace.proto.workflow.v1.CompleteJobRequest;
import dev.millrace.proto.workflow.v1.CompleteJobResponse;
import dev.millrace.proto.workflow.v1.ExchangeJobsRequest;
import dev.millrace.proto.workflow.v1.ExchangeJobsResponse;
import dev.millrace.proto.workflow.v1.GetDefinitionRequest;
import dev.millrace.proto.workflow.v1.GetDefinitionResponse;
import dev.millrace.proto.workflow.v1.GetInstanceRequest;
import dev.millrace.proto.workflow.v1.GetInstanceResponse;
import dev.millrace.proto.workflow.v1.HeartbeatRequest;
import dev.millrace.proto.workflow.v1.HeartbeatResponse;
import dev.millrace.proto.workflow.v1.InstanceStatus;
import dev.millrace.proto.workflow.v1.ReportOutcome;
import dev.millrace.proto.workflow.v1.ReportResult;
import dev.millrace.proto.workflow.v1.StartInstanceRequest;
import dev.millrace.proto.workflow.v1.StartInstanceResponse;
import dev.millrace.proto.workflow.v1.StreamJobsRequest;
import dev.millrace.proto.workflow.v1.StreamJobsResponse;
import dev.millrace.proto.workflow.v1.UploadDefinitionRequest;
import dev.millrace.proto.workflow.v1.UploadDefinitionResponse;
import dev.millrace.proto.workflow.v1.WorkflowDefinition;
import dev.millrace.proto.workflow.v1.WorkflowEngineGrpc;
import dev.millrace.proto.workflow.v1.WorkflowInstance;
import io.grpc.ForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

final class FakeService extends WorkflowEngineGrpc.WorkflowEngineImplBase
    implements ServerInterceptor, AutoCloseable {
  final List<Message> received = new CopyOnWriteArrayList<>();
  final List<Metadata> metadata = new CopyOnWriteArrayList<>();
  final List<StreamObserver<StreamJobsResponse>> streams = new CopyOnWriteArrayList<>();
  final LinkedList<StatusRuntimeException> refusals = new LinkedList<>();
  final Metadata trailers = new Metadata();
  private WorkflowDefinition stored = WorkflowDefinition.getDefaultInstance();
  private final Server server;
  private final int port;

  FakeService() {
    this(InsecureServerCredentials.create());
  }

  FakeService(ServerCredentials credentials) {
    try {
      server =
          Grpc.newServerBuilderForPort(0, credentials)
              .addService(this)
              .intercept(this)
              .build()
              .start();
      port = server.getPort();
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  String url() {
    return "grpc://127.0.0.1:" + port;
  }

  static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** A refusal as an engine makes it. */
  static StatusRuntimeException refusal(Status.Code status, String reason, Message... details) {
    com.google.rpc.Status.Builder told =
        com.google.rpc.Status.newBuilder()
            .setCode(status.value())
            .setMessage("no: " + reason)
            .addDetails(Any.pack(ErrorInfo.newBuilder().setReason(reason).build()));
    for (Message detail : details) told.addDetails(Any.pack(detail));
    return StatusProto.toStatusRuntimeException(told.build());
  }

  @Override
  public <I, O> ServerCall.Listener<I> interceptCall(
      ServerCall<I, O> call, Metadata headers, ServerCallHandler<I, O> next) {
    metadata.add(headers);
    return next.startCall(
        new ForwardingServerCall.SimpleForwardingServerCall<I, O>(call) {
          @Override
          public void close(Status status, Metadata sent) {
            sent.merge(trailers);
            super.close(status, sent);
          }
        },
        headers);
  }

  private synchronized <T> void answer(Message request, T response, StreamObserver<T> to) {
    received.add(request);
    if (!refusals.isEmpty()) {
      to.onError(refusals.removeFirst());
      return;
    }
    to.onNext(response);
    to.onCompleted();
  }

  @Override
  public void uploadDefinition(
      UploadDefinitionRequest request, StreamObserver<UploadDefinitionResponse> to) {
    stored = request.getDefinition();
    answer(
        request,
        UploadDefinitionResponse.newBuilder()
            .setId(stored.getId())
            .setVersion(1)
            .addWarnings("odd")
            .build(),
        to);
  }

  @Override
  public void getDefinition(
      GetDefinitionRequest request, StreamObserver<GetDefinitionResponse> to) {
    answer(request, GetDefinitionResponse.newBuilder().setDefinition(stored).build(), to);
  }

  @Override
  public void startInstance(
      StartInstanceRequest request, StreamObserver<StartInstanceResponse> to) {
    WorkflowInstance instance =
        WorkflowInstance.newBuilder()
            .setId("i-1")
            .setDefinitionId(request.getDefinitionId())
            .setStatus(InstanceStatus.INSTANCE_STATUS_ACTIVE)
            .setVariables(request.getVariables())
            .build();
    answer(request, StartInstanceResponse.newBuilder().setInstance(instance).build(), to);
  }

  @Override
  public void getInstance(GetInstanceRequest request, StreamObserver<GetInstanceResponse> to) {
    if (request.getId().equals("silent")) return;
    WorkflowInstance instance = WorkflowInstance.newBuilder().setId(request.getId()).build();
    answer(request, GetInstanceResponse.newBuilder().setInstance(instance).build(), to);
  }

  @Override
  public void completeJob(CompleteJobRequest request, StreamObserver<CompleteJobResponse> to) {
    answer(request, CompleteJobResponse.getDefaultInstance(), to);
  }

  @Override
  public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> to) {
    answer(request, HeartbeatResponse.getDefaultInstance(), to);
  }

  @Override
  public void exchangeJobs(ExchangeJobsRequest request, StreamObserver<ExchangeJobsResponse> to) {
    ExchangeJobsResponse.Builder response = ExchangeJobsResponse.newBuilder();
    request
        .getCompletedList()
        .forEach(
            report ->
                response.addResults(
                    ReportResult.newBuilder()
                        .setJobId(report.getJobId())
                        .setOutcome(ReportOutcome.REPORT_OUTCOME_ACCEPTED)));
    answer(request, response.build(), to);
  }

  @Override
  public StreamObserver<StreamJobsRequest> streamJobs(StreamObserver<StreamJobsResponse> to) {
    streams.add(to);
    return new StreamObserver<>() {
      @Override
      public void onNext(StreamJobsRequest message) {
        received.add(message);
      }

      @Override
      public void onError(Throwable broken) {}

      @Override
      public void onCompleted() {
        received.add(StreamJobsRequest.getDefaultInstance());
        to.onCompleted();
      }
    };
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
