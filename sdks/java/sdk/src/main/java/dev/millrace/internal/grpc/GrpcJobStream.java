// The stream of jobs over gRPC.
package dev.millrace.internal.grpc;

import dev.millrace.internal.CallHeaders;
import dev.millrace.internal.Clock;
import dev.millrace.internal.Records;
import dev.millrace.job.Job;
import dev.millrace.job.JobStream;
import dev.millrace.proto.workflow.v1.OpenStream;
import dev.millrace.proto.workflow.v1.StartedJob;
import dev.millrace.proto.workflow.v1.StartedJobs;
import dev.millrace.proto.workflow.v1.StreamJobsRequest;
import dev.millrace.proto.workflow.v1.StreamJobsResponse;
import dev.millrace.proto.workflow.v1.WorkflowEngineGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Messages up are sent one at a time; after the end they are dropped. */
final class GrpcJobStream implements JobStream, StreamObserver<StreamJobsResponse> {
  /** An engine that does not end a stream which its worker has left is not waited for. */
  private static final double PATIENCE_MS = 5_000;

  private final Peer peer;
  private final GrpcErrors.Asked asked;
  private final Listener listener;
  private final AnswerMetadata answered = new AnswerMetadata();
  private ClientCall<StreamJobsRequest, StreamJobsResponse> call;
  private StreamObserver<StreamJobsRequest> up;
  private boolean over;

  private GrpcJobStream(Peer peer, boolean hasKey, Listener listener) {
    this.peer = peer;
    this.asked = new GrpcErrors.Asked(peer, "StreamJobs", hasKey);
    this.listener = listener;
  }

  static GrpcJobStream open(
      Peer peer, Map<String, String> headers, Opening opening, Listener listener) {
    GrpcJobStream stream =
        new GrpcJobStream(peer, headers.containsKey(CallHeaders.AUTHORIZATION), listener);
    stream.start(headers, opening);
    return stream;
  }

  private synchronized void start(Map<String, String> headers, Opening opening) {
    call =
        peer.channel(headers, answered)
            .newCall(WorkflowEngineGrpc.getStreamJobsMethod(), CallOptions.DEFAULT);
    up = ClientCalls.asyncBidiStreamingCall(call, this);
    OpenStream first =
        OpenStream.newBuilder()
            .setWorkerId(opening.workerId())
            .addAllJobTypes(opening.jobTypes())
            .setLeaseSeconds(opening.leaseSeconds())
            .setCredit(opening.credit())
            .build();
    send(StreamJobsRequest.newBuilder().setOpen(first).build());
  }

  @Override
  public void credit(int more) {
    send(StreamJobsRequest.newBuilder().setCredit(more).build());
  }

  @Override
  public void started(Collection<Job> jobs) {
    StartedJobs.Builder started = StartedJobs.newBuilder();
    for (Job job : jobs)
      started.addJobs(
          StartedJob.newBuilder().setJobId(job.id()).setLeaseToken(job.leaseToken()).build());
    send(StreamJobsRequest.newBuilder().setStarted(started).build());
  }

  private synchronized void send(StreamJobsRequest message) {
    if (!over) up.onNext(message);
  }

  /** What was said before still arrives; a cancel could overtake it. */
  @Override
  public synchronized void close() {
    if (over) return;
    over = true;
    up.onCompleted();
    Clock.MONOTONIC.after(PATIENCE_MS, () -> call.cancel("the worker left", null));
  }

  @Override
  public void onNext(StreamJobsResponse message) {
    List<Job> jobs = new ArrayList<>();
    message.getJobsList().forEach(job -> jobs.add(Records.read(Job.class, FromProto.message(job))));
    if (!jobs.isEmpty()) listener.jobs(jobs);
  }

  @Override
  public void onError(Throwable thrown) {
    end();
    listener.ended(GrpcErrors.read(thrown, answered, asked));
  }

  @Override
  public void onCompleted() {
    end();
    listener.ended(null);
  }

  private synchronized void end() {
    over = true;
  }
}
