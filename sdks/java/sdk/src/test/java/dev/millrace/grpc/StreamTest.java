// A worker whose jobs are pushed.
package dev.millrace.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.millrace.EngineClient;
import dev.millrace.proto.workflow.v1.ExchangeJobsRequest;
import dev.millrace.proto.workflow.v1.HeartbeatRequest;
import dev.millrace.proto.workflow.v1.Job;
import dev.millrace.proto.workflow.v1.StreamJobsRequest;
import dev.millrace.proto.workflow.v1.StreamJobsResponse;
import dev.millrace.support.Logged;
import dev.millrace.worker.Handler;
import dev.millrace.worker.HandlerRegistry;
import dev.millrace.worker.Mode;
import dev.millrace.worker.Runner;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StreamTest {
  private final FakeService service = new FakeService();
  private final Logged log = new Logged();
  private final EngineClient client = EngineClient.connect(service.url());
  private Runner runner;

  @AfterEach
  void end() {
    runner.stop(Duration.ZERO);
    client.close();
    service.close();
    log.close();
  }

  private void run(int concurrency, Handler handler) {
    HandlerRegistry handlers = new HandlerRegistry().register("charge-card", handler);
    runner =
        Runner.builder(client, handlers, "worker-1")
            .mode(Mode.STREAM)
            .concurrency(concurrency)
            .build()
            .start();
    until(() -> requests(StreamJobsRequest::hasOpen).size() == 1);
  }

  private void push(int stream, String id) {
    Job job = Job.newBuilder().setId(id).setJobType("charge-card").setLeaseToken("t-" + id).build();
    service.streams.get(stream).onNext(StreamJobsResponse.newBuilder().addJobs(job).build());
  }

  private List<StreamJobsRequest> requests(Predicate<StreamJobsRequest> wanted) {
    return service.received.stream()
        .filter(StreamJobsRequest.class::isInstance)
        .map(StreamJobsRequest.class::cast)
        .filter(wanted)
        .toList();
  }

  private static void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) throw new AssertionError("it never came to that");
      Thread.onSpinWait();
    }
  }

  private boolean isReported(String jobId) {
    for (Message message : service.received)
      if (message instanceof ExchangeJobsRequest exchange
          && exchange.getCompletedList().stream().anyMatch(r -> r.getJobId().equals(jobId)))
        return true;
    return false;
  }

  @Test
  @DisplayName(
      "C-107: opens with its places as credit, says what it started, and gives credit again")
  void credit() {
    run(3, (job, context) -> null);
    var open = requests(StreamJobsRequest::hasOpen).get(0).getOpen();
    assertEquals(3, open.getCredit());
    assertEquals("worker-1", open.getWorkerId());
    assertEquals(List.of("charge-card"), open.getJobTypesList());
    push(0, "j-1");
    until(() -> isReported("j-1"));
    until(() -> !requests(StreamJobsRequest::hasStarted).isEmpty());
    assertEquals(
        "t-j-1",
        requests(StreamJobsRequest::hasStarted).get(0).getStarted().getJobs(0).getLeaseToken());
    until(
        () ->
            requests(StreamJobsRequest::hasCredit).stream()
                    .mapToInt(StreamJobsRequest::getCredit)
                    .sum()
                == 1);
  }

  @Test
  @DisplayName(
      "C-108: when a stream breaks another is opened, with credit for what is free; handlers go on")
  void opensAnother() {
    CountDownLatch go = new CountDownLatch(1);
    run(
        3,
        (job, context) -> {
          go.await();
          return null;
        });
    push(0, "j-1");
    until(() -> !requests(StreamJobsRequest::hasStarted).isEmpty());
    service.streams.get(0).onError(Status.UNAVAILABLE.withDescription("gone").asException());
    until(() -> requests(StreamJobsRequest::hasOpen).size() == 2);
    assertEquals(2, requests(StreamJobsRequest::hasOpen).get(1).getOpen().getCredit());
    go.countDown();
    until(() -> isReported("j-1"));
    push(1, "j-2");
    until(() -> isReported("j-2"));
    assertEquals(1, log.lines("the stream of jobs ended: dev.millrace.error.").size());
  }

  @Test
  @DisplayName(
      "C-66: a pushed job that was long on its way is started only after the engine confirmed its lease")
  void lateJob() {
    run(1, (job, context) -> null);
    Job late =
        Job.newBuilder()
            .setId("late")
            .setJobType("charge-card")
            .setLeaseToken("t")
            .setLockExpiresAt(Timestamp.newBuilder().setSeconds(1_000_000_000))
            .build();
    service.streams.get(0).onNext(StreamJobsResponse.newBuilder().addJobs(late).build());
    until(() -> isReported("late"));
    assertTrue(service.received.stream().anyMatch(HeartbeatRequest.class::isInstance));
  }

  @Test
  @DisplayName("C-110: a drain leaves the stream, finishes what runs and reports it")
  void drains() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    run(
        2,
        (job, context) -> {
          started.countDown();
          go.await();
          return null;
        });
    push(0, "j-1");
    started.await();
    CompletableFuture<Boolean> drained =
        CompletableFuture.supplyAsync(() -> runner.stop().drained());
    until(() -> service.received.contains(StreamJobsRequest.getDefaultInstance()));
    go.countDown();
    assertTrue(drained.get());
    assertTrue(isReported("j-1"));
  }
}
