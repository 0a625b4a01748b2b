// Leases are kept alive while handlers run, and handlers are told to stop before a lease may end.
package dev.millrace.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.support.Samples;
import dev.millrace.support.ScriptedEngine.Answer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LeaseTest extends Bench {
  private static final String PATH = "/v1/jobs/held/heartbeat";

  private final CompletableFuture<CancellationToken> started = new CompletableFuture<>();
  private final CompletableFuture<Object> told = new CompletableFuture<>();
  private final CompletableFuture<Map<String, Object>> outcome = new CompletableFuture<>();
  private final CountDownLatch interrupted = new CountDownLatch(1);

  /** Starts one job that runs until told, under a lease of 30 s and a clock that stands still. */
  private CancellationToken hold() throws Exception {
    run(
        b -> b.clock(clock),
        (job, context) -> {
          context.cancellation().onCancel(() -> told.complete(context.cancellation().reason()));
          started.complete(context.cancellation());
          while (true)
            try {
              return outcome.get();
            } catch (InterruptedException stop) {
              interrupted.countDown();
            }
        });
    engine.offer(Samples.job("id", "held"));
    return started.get();
  }

  private int sent() {
    return engine.received(PATH).size();
  }

  private void awaitHeartbeats(int n) {
    engine.until(() -> sent() >= n);
  }

  @Test
  @DisplayName("C-107: a heartbeat goes out every third of the lease, with the token")
  void everyThird() throws Exception {
    CancellationToken token = hold();
    for (int n = 1; n <= 4; n++) {
      clock.awaitTimerAt(10_000);
      clock.advance(9_999);
      assertEquals(n - 1, sent());
      clock.advance(1);
      awaitHeartbeats(n);
    }
    assertEquals(
        Map.of("workerId", "worker-1", "leaseToken", "token-" + tokenId(), "leaseSeconds", 30L),
        engine.received(PATH).get(0).fields());
    assertFalse(token.isCancelled());
  }

  private String tokenId() {
    String token = (String) engine.received(PATH).get(0).fields().get("leaseToken");
    return token.substring("token-".length());
  }

  @Test
  @DisplayName("C-107: heartbeats end with the handler")
  void endWithTheHandler() throws Exception {
    hold();
    outcome.complete(Map.of());
    engine.reportOf("held");
    assertEquals(List.of(), clock.pending());
    assertEquals(0, sent());
  }

  @Test
  @DisplayName(
      "C-66: a lease the engine calls lost cancels and interrupts the handler; what it then throws is not reported")
  void lost() throws Exception {
    engine.on(PATH, r -> Answer.refusal(409, "lease-lost"));
    CancellationToken token = hold();
    clock.awaitTimerAt(10_000);
    clock.advance(10_000);
    told.get();
    interrupted.await();
    assertEquals(CancellationToken.Reason.LEASE_LOST, token.reason().orElseThrow());
    outcome.completeExceptionally(new IllegalStateException("stopped half way"));
    Map<String, Object> other = Samples.job("jobType", "unknown");
    engine.offer(other);
    engine.reportOf(Samples.id(other));
    assertEquals(1, engine.reports().size());
    assertTrue(log.heard("the engine says the lease is lost"));
  }

  @Test
  @DisplayName(
      "C-66: a result after a lost lease is reported once; the engine decides by the token")
  void reportedOnce() throws Exception {
    engine.on(PATH, r -> Answer.refusal(409, "lease-lost"));
    engine.on("/v1/jobs/exchange", r -> Answer.refusal(503, "unavailable"));
    hold();
    clock.awaitTimerAt(10_000);
    clock.advance(10_000);
    told.get();
    outcome.complete(Map.of("done", true));
    clock.awaitTimerWithin(200);
    clock.advance(200);
    engine.until(() -> log.heard("did not count: DROPPED"));
    assertEquals(1, engine.received("/v1/jobs/exchange").size());
  }

  @Test
  @DisplayName(
      "C-66: a dead link: heartbeats are tried again, and the handler is told to stop before the lease may end")
  void deadLink() throws Exception {
    engine.on(PATH, r -> Answer.cut());
    CancellationToken token = hold();
    clock.awaitTimerAt(10_000);
    clock.advance(10_000);
    for (int n = 1; n <= 3; n++) {
      awaitHeartbeats(n);
      clock.awaitTimerWithin(1_000);
      clock.advance(1_000);
    }
    awaitHeartbeats(4);
    clock.awaitTimerWithin(1_000);
    // 13 s have passed; the handler has to stop at 27 s.
    clock.advance(13_999);
    assertFalse(token.isCancelled());
    clock.advance(1);
    told.get();
    assertTrue(log.heard("could not be extended in time"));
  }

  @Test
  @DisplayName("C-66: an answer that hangs does not keep the handler running beyond its lease")
  void hangingAnswer() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    engine.on(
        PATH,
        r -> {
          never.await();
          return null;
        });
    CancellationToken token = hold();
    clock.awaitTimerAt(10_000);
    clock.advance(10_000);
    awaitHeartbeats(1);
    clock.awaitTimerAt(17_000);
    clock.advance(16_999);
    assertFalse(token.isCancelled());
    clock.advance(1);
    told.get();
    never.countDown();
  }

  @Test
  @DisplayName(
      "C-66: a job whose answer was long on its way is started only after the engine confirmed its lease")
  void lateAnswer() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    engine.on("/v1/jobs/late-lost/heartbeat", r -> Answer.refusal(409, "lease-lost"));
    engine.once(
        "/v1/jobs/poll",
        r -> {
          asked.countDown();
          answer.await();
          return Answer.of(
              200,
              Map.of(
                  "jobs", List.of(Samples.job("id", "late-lost"), Samples.job("id", "late-held"))));
        });
    List<String> ran = new CopyOnWriteArrayList<>();
    run(
        b -> b.clock(clock),
        (job, context) -> {
          ran.add(job.id());
          return null;
        });
    asked.await();
    clock.advance(28_000);
    answer.countDown();
    engine.reportOf("late-held");
    assertEquals(List.of("late-held"), ran);
  }

  @Test
  @DisplayName(
      "D-17: a handler that takes too long is told to stop, not waited for, and fails with a message of its own")
  void timeLimit() throws Exception {
    CompletableFuture<CancellationToken> running = new CompletableFuture<>();
    CountDownLatch never = new CountDownLatch(1);
    run(
        b -> b.clock(clock).leaseSeconds(300),
        (job, context) -> {
          running.complete(context.cancellation());
          while (true)
            try {
              never.await();
              return null;
            } catch (InterruptedException ignored) {
              // A handler that does not listen.
            }
        });
    Map<String, Object> job = Samples.job("timeoutSeconds", 30);
    engine.offer(job);
    CancellationToken token = running.get();
    clock.awaitTimerAt(30_000);
    clock.advance(30_000);
    Map<String, Object> report = engine.reportOf(Samples.id(job));
    assertFailed(true, "timed out after 30 s", report);
    assertEquals(504L, report.get("downstreamStatus"));
    assertEquals(CancellationToken.Reason.TIMEOUT, token.reason().orElseThrow());
    never.countDown();
  }
}
