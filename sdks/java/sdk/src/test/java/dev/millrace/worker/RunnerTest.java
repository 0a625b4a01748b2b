// What a runner asks, runs and reports.
package dev.millrace.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.job.JobCalls;
import dev.millrace.support.Samples;
import dev.millrace.support.ScriptedEngine.Answer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunnerTest extends Bench {
  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"POLL", "EXCHANGE"})
  @DisplayName("C-109: returned variables complete the job, with its token")
  void completes(Mode mode) {
    Map<String, Object> job = Samples.job();
    run(b -> b.mode(mode), (j, c) -> Map.of("doubled", 2 * (Long) j.variables().get("amount")));
    engine.offer(job);
    Map<String, Object> report = engine.reportOf(Samples.id(job));
    assertEquals("completed", report.get("kind"));
    assertEquals(job.get("leaseToken"), report.get("leaseToken"));
    assertEquals(Map.of("doubled", 84L), report.get("variables"));
  }

  @Test
  @DisplayName("C-109: returning null completes the job without variables")
  void completesWithoutVariables() {
    Map<String, Object> report = reportOf((j, c) -> null);
    assertEquals("completed", report.get("kind"));
    assertNull(report.get("variables"));
  }

  @Test
  @DisplayName("C-109: an exception fails the job with a retry, and is logged with its stack")
  void failsWithARetry() {
    IllegalStateException thrown = new IllegalStateException("bank is down");
    assertFailed(
        true,
        "bank is down",
        reportOf(
            (j, c) -> {
              throw thrown;
            }));
    assertTrue(log.records().stream().anyMatch(record -> record.getThrown() == thrown));
  }

  @Test
  @DisplayName("C-109: NonRetryableException fails the job for good")
  void failsForGood() {
    assertFailed(
        false,
        "stolen",
        reportOf(
            (j, c) -> {
              throw new NonRetryableException("stolen");
            }));
  }

  @Test
  @DisplayName("C-109: a crash of the handler fails the job for good")
  void crashes() {
    assertFailed(
        false,
        "broken",
        reportOf(
            (j, c) -> {
              throw new AssertionError("broken");
            }));
  }

  @Test
  @DisplayName("C-109: an exception without a message is told by its name")
  void failsNamelessly() {
    assertFailed(
        true,
        "NullPointerException",
        reportOf(
            (j, c) -> {
              throw new NullPointerException();
            }));
  }

  /** Code of a user that is broken itself. */
  private static final class Unreadable extends RuntimeException {
    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("no cause");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("no text");
    }
  }

  @Test
  @DisplayName("C-109: an exception that throws where it is read fails its job all the same")
  void failsUnreadably() {
    assertFailed(
        true,
        "Unreadable, whose message could not be read: its getMessage() throws",
        reportOf(
            (j, c) -> {
              throw new Unreadable();
            }));
  }

  @ParameterizedTest
  @MethodSource
  @DisplayName("C-109: an Error of the virtual machine inside a handler fails its job for good")
  void failsWithErrors(Error error, String message) {
    assertFailed(
        false,
        message,
        reportOf(
            (j, c) -> {
              throw error;
            }));
    Map<String, Object> next = Samples.job();
    engine.offer(next);
    engine.reportOf(Samples.id(next));
  }

  static List<Arguments> failsWithErrors() {
    return List.of(
        Arguments.of(new OutOfMemoryError("Java heap space"), "Java heap space"),
        Arguments.of(new StackOverflowError(), "StackOverflowError"),
        Arguments.of(new NoClassDefFoundError("com/acme/Bank"), "com/acme/Bank"));
  }

  @Test
  @DisplayName("C-109: RetryLaterException names the time of the next attempt")
  void failsForLater() {
    Map<String, Object> report =
        reportOf(
            (j, c) -> {
              throw new RetryLaterException("busy", Duration.ofSeconds(90));
            });
    assertFailed(true, "busy", report);
    assertEquals(90L, report.get("retryAfter"));
  }

  @Test
  @DisplayName("C-109: text that cannot be stored is cleaned, and cut")
  void cleansMessages() {
    String text = "a\u0000b\ud800c" + "x".repeat(5_000);
    String told =
        (String)
            reportOf(
                    (j, c) -> {
                      throw new RuntimeException(text);
                    })
                .get("errorMessage");
    assertTrue(told.startsWith("a\ufffdb\ufffdcx"));
    assertEquals(4_000, told.length());
  }

  @Test
  @DisplayName("C-109: variables that are not JSON fail the job for good")
  void returnsNonsense() {
    Map<String, Object> report = reportOf((j, c) -> Map.of("x", new Object()));
    assertEquals(false, report.get("retryable"));
    assertTrue(((String) report.get("errorMessage")).contains("not JSON"));
  }

  /** An object of objects, so many in all. */
  private static Map<String, Object> nested(int levels) {
    Map<String, Object> value = Map.of();
    for (int i = 1; i < levels; i++) value = Map.of("a", value);
    return value;
  }

  @Test
  @DisplayName("C-109: a result as deep as an engine takes completes its job")
  void returnsDeep() {
    assertEquals("completed", reportOf((j, c) -> nested(31)).get("kind"));
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 33, 700, 100_000})
  @DisplayName("C-109: a result that is nested more deeply than an engine takes fails for good")
  void returnsTooDeep(int levels) {
    Map<String, Object> deep = nested(levels);
    assertFailed(
        false,
        "the handler returned variables that are not JSON: nested deeper than 32 levels, or in"
            + " itself: an engine takes no more, send a flatter value",
        reportOf((j, c) -> deep));
  }

  @Test
  @DisplayName("C-109: a job without a handler fails for good, naming its type")
  void unknownType() {
    Map<String, Object> job = Samples.job("jobType", "send-fax");
    run(b -> b, (j, c) -> null);
    engine.offer(job);
    assertFailed(false, "no handler registered for send-fax", engine.reportOf(Samples.id(job)));
  }

  @Test
  @DisplayName("C-109: a result that the engine refuses fails the job for good")
  void refusedResult() {
    engine.on("/v1/jobs/exchange", r -> Answer.refusal(400, "bad-request"));
    Map<String, Object> job = Samples.job();
    engine.on("/v1/jobs/" + Samples.id(job) + "/complete", r -> Answer.refusal(400, "bad-request"));
    run(b -> b, (j, c) -> Map.of("odd", 1));
    engine.offer(job);
    Map<String, Object> report = engine.reportOf(Samples.id(job));
    assertFailed(false, "the engine refused the result: no: bad-request", report);
  }

  @Test
  @DisplayName("C-106: the handler gets the whole job and the worker's name")
  void wholeJob() throws Exception {
    CompletableFuture<Object> seen = new CompletableFuture<>();
    run(
        b -> b,
        (j, c) -> {
          seen.complete(
              List.of(
                  j.id(),
                  j.instanceId(),
                  j.stepId(),
                  j.stepExecutionId(),
                  j.jobType(),
                  j.attempt(),
                  j.retriesRemaining(),
                  j.leaseToken(),
                  j.idempotencyKey(),
                  j.businessKey(),
                  c.workerId(),
                  c.cancellation().isCancelled()));
          return null;
        });
    Map<String, Object> job =
        Samples.job("attempt", 3, "retriesRemaining", 1, "businessKey", "order-1");
    engine.offer(job);
    String id = Samples.id(job);
    assertEquals(
        List.of(
            id,
            "instance-1",
            "charge",
            "execution-1",
            "charge-card",
            3,
            1,
            "token-" + id,
            "key-" + id,
            "order-1",
            "worker-1",
            false),
        seen.get());
  }

  @Test
  @DisplayName("C-107, C-108: long-polls for as many jobs as it can run, for all its types")
  void asks() {
    run(b -> b, (j, c) -> null);
    engine.until(() -> polls().size() == 1);
    assertEquals(
        Map.of(
            "workerId", "worker-1",
            "jobTypes", List.of("charge-card"),
            "maxJobs", 64L,
            "leaseSeconds", 30L,
            "waitSeconds", 20L),
        polls().get(0).fields());
  }

  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"POLL", "EXCHANGE"})
  @DisplayName("C-107: never runs more than its concurrency, and asks only for free places")
  void keepsToItsConcurrency(Mode mode) {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger started = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Semaphore go = new Semaphore(0);
    run(
        b -> b.mode(mode).concurrency(3),
        (j, c) -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          started.incrementAndGet();
          go.acquire();
          running.decrementAndGet();
          return null;
        });
    for (int i = 0; i < 8; i++) engine.offer(Samples.job());
    for (int i = 0; i < 8; i++) {
      int due = Math.min(i + 3, 8);
      engine.until(() -> started.get() >= due);
      go.release();
      int reported = i + 1;
      engine.until(() -> engine.reports().size() >= reported);
    }
    assertEquals(3, most.get());
    for (var request : engine.received())
      if (request.fields().get("maxJobs") instanceof Long asked) assertTrue(asked <= 3);
  }

  @Test
  @DisplayName(
      "C-107: with every place taken it does not ask; the report of a job asks for the next")
  void reportsAsk() throws Exception {
    Semaphore started = new Semaphore(0);
    Semaphore go = new Semaphore(0);
    run(
        b -> b.concurrency(1),
        (j, c) -> {
          started.release();
          go.acquire();
          return null;
        });
    engine.offer(Samples.job());
    engine.offer(Samples.job());
    started.acquire();
    go.release();
    started.acquire();
    List<String> paths = engine.received().stream().map(r -> r.path()).toList();
    assertEquals(List.of("/v1/jobs/poll", "/v1/jobs/exchange"), paths);
    Map<?, ?> poll = (Map<?, ?>) engine.received().get(1).fields().get("poll");
    assertEquals(1L, poll.get("maxJobs"));
    go.release();
  }

  @Test
  @DisplayName("C-108: in short-poll mode it asks without waiting, again after the interval")
  void shortPolls() throws Exception {
    run(b -> b.pollInterval(Duration.ofMillis(500)).clock(clock), (j, c) -> null);
    for (int n = 1; n <= 3; n++) {
      int asked = n;
      engine.until(() -> polls().size() == asked);
      clock.awaitTimerAt(500);
      clock.advance(500);
    }
    assertFalse(polls().get(0).fields().containsKey("waitSeconds"));
  }

  @Test
  @DisplayName("C-108: a poll that fails is logged and tried again after a growing pause")
  void backsOff() throws Exception {
    for (int status : new int[] {500, 503, 401})
      engine.once("/v1/jobs/poll", r -> Answer.refusal(status, "trouble"));
    Map<String, Object> job = Samples.job();
    engine.offer(job);
    run(b -> b.clock(clock), (j, c) -> null);
    for (double plain : new double[] {100, 200, 400}) {
      clock.awaitTimerWithin(plain * 1.2);
      assertTrue(clock.pending().get(0) >= plain * 0.8);
      clock.advance(plain * 1.2);
    }
    engine.reportOf(Samples.id(job));
    assertEquals(3, log.lines("poll failed, backing off: dev.millrace.error.").size());
  }

  @Test
  @DisplayName("C-108: Retry-After is kept to")
  void keepsRetryAfter() throws Exception {
    engine.once("/v1/jobs/poll", r -> Answer.refusal(503, "unavailable").with("retry-after", "5"));
    run(b -> b.clock(clock), (j, c) -> null);
    clock.awaitTimerAt(5_000);
  }

  @Test
  @DisplayName("C-108: an engine that answers long polls at once is not hammered")
  void isPatient() throws Exception {
    engine.on("/v1/jobs/poll", r -> Answer.of(200, Map.of("jobs", List.of())));
    run(b -> b.clock(clock), (j, c) -> null);
    for (int n = 1; n <= 6; n++) {
      clock.awaitTimerWithin(500);
      assertEquals(n, polls().size());
      clock.advance(500);
    }
  }

  @Test
  @DisplayName("C-108: a wait leaves a good part of the lease")
  void waitsLess() {
    run(b -> b.leaseSeconds(9), (j, c) -> null);
    engine.until(() -> polls().size() == 1);
    assertEquals(6L, polls().get(0).fields().get("waitSeconds"));
  }

  @Test
  @DisplayName("C-110: a stop waits for running handlers and their reports")
  void drains() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Runner runner =
        run(
            b -> b,
            (j, c) -> {
              started.countDown();
              go.await();
              return Map.of("done", true);
            });
    Map<String, Object> job = Samples.job();
    engine.offer(job);
    started.await();
    CompletableFuture<StopResult> stopped = CompletableFuture.supplyAsync(runner::stop);
    go.countDown();
    assertEquals(new StopResult(true, 0), stopped.get());
    assertEquals("completed", engine.reportOf(Samples.id(job)).get("kind"));
  }

  @Test
  @DisplayName("C-110: after its time a stop leaves what runs, and tells the handlers")
  void forces() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CompletableFuture<CancellationToken> told = new CompletableFuture<>();
    Runner runner =
        run(
            b -> b,
            (j, c) -> {
              started.countDown();
              try {
                new CountDownLatch(1).await();
              } finally {
                told.complete(c.cancellation());
              }
              return null;
            });
    engine.offer(Samples.job());
    started.await();
    assertEquals(new StopResult(false, 1), runner.stop(Duration.ZERO));
    assertEquals(CancellationToken.Reason.RUNNER_STOPPED, told.get().reason().orElseThrow());
    assertEquals(List.of(), engine.reports());
  }

  /** The calls of a worker, of which some break the virtual machine. */
  private JobCalls breaking(String name, Error error) {
    JobCalls real = client.jobs();
    return (JobCalls)
        Proxy.newProxyInstance(
            JobCalls.class.getClassLoader(),
            new Class<?>[] {JobCalls.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(name)) throw error;
              Object answer = method.invoke(real, arguments);
              return answer instanceof JobCalls ? proxy : answer;
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"poll", "exchange"})
  @Timeout(180)
  @DisplayName("C-110: an Error in the runner itself ends run() with that error")
  void breaksDown(String call) {
    NoClassDefFoundError error = new NoClassDefFoundError("com/acme/Json");
    HandlerRegistry handlers = new HandlerRegistry().register("charge-card", (j, c) -> null);
    engine.offer(Samples.job());
    Runner runner = new RunnerBuilder(breaking(call, error), handlers, "w").build();
    assertSame(error, assertThrows(NoClassDefFoundError.class, runner::run));
    assertTrue(log.heard("the runner breaks down and stops"));
    runner.close();
  }

  @Test
  @DisplayName("C-107: settings out of bounds are refused, and so is a runner without handlers")
  void bounds() {
    assertThrows(IllegalArgumentException.class, () -> builder(" ", (j, c) -> null));
    RunnerBuilder builder = builder("w", (j, c) -> null);
    assertThrows(IllegalArgumentException.class, () -> builder.concurrency(0));
    assertThrows(IllegalArgumentException.class, () -> builder.leaseSeconds(4));
    assertThrows(IllegalArgumentException.class, () -> builder.waitSeconds(31));
    Runner none = Runner.builder(client, new HandlerRegistry(), "w").build();
    assertThrows(IllegalStateException.class, none::start);
  }

  @Test
  @DisplayName("C-105: a registry refuses empty and known types, and lists what it has")
  void registry() {
    HandlerRegistry registry = new HandlerRegistry().register("a", (j, c) -> null);
    assertThrows(IllegalArgumentException.class, () -> registry.register("", (j, c) -> null));
    assertThrows(IllegalArgumentException.class, () -> registry.register("a", (j, c) -> null));
    assertEquals(List.of("a"), registry.jobTypes());
    assertTrue(registry.find("b").isEmpty());
  }

  @Test
  @DisplayName("C-114: what a worker does is counted under the names of every SDK")
  void metrics() {
    Runner runner =
        run(
            b -> b,
            (j, c) -> {
              if (j.attempt() == 1) throw new IllegalStateException("no");
              return null;
            });
    engine.offer(Samples.job());
    engine.offer(Samples.job("attempt", 2));
    String success =
        "workflow_sdk_jobs_completed_total{job_type=\"charge-card\",outcome=\"success\"} 1\n";
    String failure =
        "workflow_sdk_jobs_completed_total{job_type=\"charge-card\",outcome=\"failure\"} 1\n";
    engine.until(
        () ->
            runner.metrics().text().contains(success) && runner.metrics().text().contains(failure));
    String text = runner.metrics().text();
    assertTrue(text.contains("workflow_sdk_retries_total{job_type=\"charge-card\"} 1\n"), text);
    assertTrue(
        text.contains("workflow_sdk_handler_latency_seconds_count{job_type=\"charge-card\"} 2"));
    assertTrue(text.contains("workflow_sdk_poll_latency_seconds_bucket{le=\"0.001\"}"));
    assertTrue(text.contains("workflow_sdk_lock_conflicts_total 0\n"));
  }
}
