// How reports reach the engine when it is slow, away, or breaks.
package dev.millrace.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.TraceContext;
import dev.millrace.support.Samples;
import dev.millrace.support.ScriptedEngine.Answer;
import java.io.PrintWriter;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReportLaneTest extends Bench {
  private static final String EXCHANGE = "/v1/jobs/exchange";

  @Test
  @DisplayName("C-109: what finishes while a request is in flight goes together in the next one")
  void together() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    engine.once(
        EXCHANGE,
        r -> {
          first.await();
          return null;
        });
    Semaphore go = new Semaphore(0);
    run(
        b -> b.concurrency(4),
        (job, context) -> {
          go.acquire();
          return null;
        });
    for (int i = 0; i < 4; i++) engine.offer(Samples.job());
    go.release();
    engine.until(() -> engine.received(EXCHANGE).size() == 1);
    go.release(3);
    Runner runner = runner();
    engine.until(
        () ->
            runner
                .metrics()
                .text()
                .contains("handler_latency_seconds_count{job_type=\"charge-card\"} 4"));
    first.countDown();
    engine.until(() -> engine.reports().size() == 4);
    assertEquals(2, engine.received(EXCHANGE).size());
  }

  @Test
  @DisplayName("C-109: a report that could not be delivered is sent again, after a growing pause")
  void again() throws Exception {
    for (int i = 0; i < 3; i++) engine.once(EXCHANGE, r -> Answer.refusal(503, "unavailable"));
    run(b -> b.clock(clock), (job, context) -> null);
    Map<String, Object> job = Samples.job();
    engine.offer(job);
    for (double plain : new double[] {100, 200, 400}) {
      clock.awaitTimerWithin(plain * 1.2);
      clock.advance(plain * 1.2);
    }
    assertEquals("completed", engine.reportOf(Samples.id(job)).get("kind"));
  }

  @Test
  @DisplayName("C-66: a report is given up when its lease is surely gone")
  void givesUp() throws Exception {
    engine.on(EXCHANGE, r -> Answer.refusal(503, "unavailable"));
    run(b -> b.clock(clock), (job, context) -> null);
    engine.offer(Samples.job());
    clock.awaitTimerWithin(120);
    clock.advance(36_000);
    engine.until(() -> log.heard("did not count: DROPPED"));
  }

  @Test
  @DisplayName("C-109: one report over which the engine breaks does not hold up the others")
  void breakdown() throws Exception {
    Semaphore go = new Semaphore(0);
    engine.on(EXCHANGE, r -> Answer.refusal(500, "internal-error"));
    engine.on("/v1/jobs/bad/complete", r -> Answer.refusal(500, "internal-error"));
    run(
        b -> b.concurrency(2).clock(clock),
        (job, context) -> {
          go.acquire();
          return null;
        });
    engine.offer(Samples.job("id", "bad"));
    engine.offer(Samples.job("id", "good"));
    go.release(2);
    assertEquals("completed", engine.reportOf("good").get("kind"));
    clock.awaitTimerWithin(240);
    engine.on("/v1/jobs/bad/complete", r -> null);
    clock.advance(240);
    assertEquals("completed", engine.reportOf("bad").get("kind"));
  }

  @Test
  @DisplayName("C-109: one report over which the connection breaks does not hold up the others")
  void cutOff() throws Exception {
    engine.on(EXCHANGE, r -> r.body().toString().contains("=large") ? Answer.cut() : null);
    engine.on("/v1/jobs/large/complete", r -> Answer.cut());
    run(b -> b.concurrency(2).clock(clock), (job, context) -> null);
    engine.offer(Samples.job("id", "large"));
    clock.awaitTimerWithin(240);
    engine.offer(Samples.job("id", "small"));
    assertEquals("completed", engine.reportOf("small").get("kind"));
    engine.on("/v1/jobs/large/complete", r -> null);
    int tries = engine.received("/v1/jobs/large/complete").size();
    clock.advance(240);
    engine.until(() -> engine.received("/v1/jobs/large/complete").size() > tries);
  }

  @Test
  @DisplayName("C-109: a result that no engine takes is not sent, and fails its job for good")
  void noEngineTakes() {
    Map<String, Object> report =
        reportOf((job, context) -> Map.of("document", "x".repeat(16 << 20)));
    assertFailed(
        false,
        "the handler returned 16777245 characters of variables: return a reference to what is large",
        report);
  }

  /** JSON where the result is judged, and not any more when it is sent. */
  private static final class OnceJson extends Number {
    private boolean asked;

    @Override
    public long longValue() {
      if (asked) throw new ArithmeticException("gone");
      asked = true;
      return 1;
    }

    @Override
    public int intValue() {
      return (int) longValue();
    }

    @Override
    public float floatValue() {
      return longValue();
    }

    @Override
    public double doubleValue() {
      return longValue();
    }
  }

  @Test
  @DisplayName("C-109: a result that cannot be sent fails its job for good and holds up no other")
  void unsendable() throws Exception {
    Semaphore go = new Semaphore(0);
    run(
        b -> b.concurrency(2),
        (job, context) -> {
          go.acquire();
          return Map.of("x", job.id().equals("bad") ? new OnceJson() : 1);
        });
    engine.offer(Samples.job("id", "bad"));
    engine.offer(Samples.job("id", "good"));
    go.release(2);
    assertEquals("completed", engine.reportOf("good").get("kind"));
    assertFailed(
        false, "the handler returned variables that cannot be sent: gone", engine.reportOf("bad"));
  }

  @Test
  @DisplayName("C-66: a stale report counts as a lock conflict")
  void stale() {
    engine.on(
        EXCHANGE,
        r ->
            Answer.of(
                200,
                Map.of(
                    "results", List.of(Map.of("jobId", "x", "outcome", "stale")),
                    "jobs", List.of())));
    run(b -> b, (job, context) -> null);
    engine.offer(Samples.job());
    Runner runner = runner();
    engine.until(() -> runner.metrics().text().contains("workflow_sdk_lock_conflicts_total 1"));
  }

  @Test
  @DisplayName("C-104: an engine without exchange gets its reports one by one")
  void withoutExchange() {
    engine.on(EXCHANGE, r -> Answer.refusal(404, "not-found"));
    run(b -> b, (job, context) -> null);
    Map<String, Object> job = Samples.job();
    engine.offer(job);
    assertEquals("completed", engine.reportOf(Samples.id(job)).get("kind"));
    assertEquals(1, engine.received("/v1/jobs/" + Samples.id(job) + "/complete").size());
  }

  @Test
  @DisplayName(
      "D-19: a push-back of the system that was called is told with its status and its wait")
  void pushback() {
    Map<String, Object> report =
        reportOf(
            (job, context) -> {
              throw new PushbackException("busy", 429, Duration.ofSeconds(30));
            });
    assertFailed(true, "busy", report);
    assertEquals(429L, report.get("downstreamStatus"));
    assertEquals(30L, report.get("retryAfter"));
  }

  @Test
  @DisplayName("C-109: the stack of what was thrown is told, cut where it is long")
  void stack() {
    Map<String, Object> report =
        reportOf(
            (job, context) -> {
              throw new IllegalStateException(
                  "no", new IllegalArgumentException("x".repeat(9_000)));
            });
    String stack = (String) report.get("stack");
    assertTrue(stack.startsWith("java.lang.IllegalStateException: no\n\tat "), stack);
    assertTrue(stack.contains("ReportLaneTest.java"), stack);
    assertEquals(8_000, stack.length());
  }

  @Test
  @DisplayName("C-109: an exception that cannot be printed is told without a stack")
  void unprintable() {
    Map<String, Object> report =
        reportOf(
            (job, context) -> {
              throw new IllegalStateException("no") {
                @Override
                public void printStackTrace(PrintWriter to) {
                  throw new UnsupportedOperationException();
                }
              };
            });
    assertFailed(true, "no", report);
    assertNull(report.get("stack"));
  }

  @Test
  @DisplayName("D-19: no answer in time is a push-back too, however it is wrapped")
  void timeoutIsPushback() {
    Map<String, Object> report =
        reportOf(
            (job, context) -> {
              throw new IllegalStateException("call failed", new HttpTimeoutException("late"));
            });
    assertEquals(504L, report.get("downstreamStatus"));
  }

  @Test
  @DisplayName("C-106: the handler stands in the trace of its job, and so do its calls")
  void traces() throws Exception {
    CompletableFuture<Object> seen = new CompletableFuture<>();
    run(
        b -> b,
        (job, context) -> {
          seen.complete(TraceContext.current().orElseThrow());
          client.ready();
          return null;
        });
    Map<String, Object> job = Samples.job("traceparent", "00-a-b-01", "tracestate", "x=1");
    engine.offer(job);
    assertEquals(new TraceContext("00-a-b-01", "x=1"), seen.get());
    engine.reportOf(Samples.id(job));
    assertEquals("00-a-b-01", engine.received("/readyz").get(0).header("traceparent"));
    assertTrue(engine.received(EXCHANGE).get(0).header("traceparent") == null);
  }

  @Test
  @DisplayName("C-106: what is put around a handler runs it, and sees what it throws")
  void around() {
    run(
        b -> b.aroundJob((job, run) -> Map.of("wrapped", run.call())),
        (job, context) -> Map.of("a", 1));
    Map<String, Object> job = Samples.job();
    engine.offer(job);
    assertEquals(
        Map.of("wrapped", Map.of("a", 1L)), engine.reportOf(Samples.id(job)).get("variables"));
  }
}
