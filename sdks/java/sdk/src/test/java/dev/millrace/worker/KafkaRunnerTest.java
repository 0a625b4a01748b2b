// What a runner with jobs from Kafka runs, remembers and commits; the topic is filled by the test.
package dev.millrace.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.TraceContext;
import dev.millrace.internal.kafka.KafkaLane;
import dev.millrace.internal.kafka.Source;
import dev.millrace.job.Job;
import dev.millrace.kafka.Kafka;
import dev.millrace.proto.workflow.v1.JobDispatchEvent;
import dev.millrace.support.Dispatches;
import dev.millrace.support.ScriptedEngine.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KafkaRunnerTest extends Bench {
  /** Stands for the consumer of a topic: remembers what it was told. */
  private static final class FakeTopic implements Source {
    final List<OptionalLong> told = new CopyOnWriteArrayList<>();
    volatile boolean rested;
    volatile boolean closed;

    @Override
    public String topic() {
      return "workflow.jobs.charge-card";
    }

    @Override
    public void start() {}

    @Override
    public void handled(int partition, OptionalLong position) {
      told.add(position);
    }

    @Override
    public void rest() {
      rested = true;
    }

    @Override
    public void close() {
      closed = true;
    }

    /** The last position; -1 before there is one. */
    long committed() {
      long last = -1;
      for (OptionalLong position : told) if (position.isPresent()) last = position.getAsLong();
      return last;
    }
  }

  private final FakeTopic topic = new FakeTopic();
  private KafkaLane lane;
  private long offset;

  private Runner runKafka(UnaryOperator<RunnerBuilder> settings, Handler handler) {
    return run(
        b -> settings.apply(b).lane(bench -> lane = new KafkaLane(bench, l -> List.of(topic))),
        handler);
  }

  private void feed(JobDispatchEvent.Builder... events) {
    for (JobDispatchEvent.Builder event : events)
      feed(event.getInstanceId(), event.build().toByteArray());
  }

  private void feed(String key, byte[] value) {
    lane.received(topic, List.of(new KafkaLane.Message(0, offset++, key, value)));
  }

  private void untilCommitted(long position) {
    engine.until(() -> topic.committed() == position);
  }

  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"POLL", "EXCHANGE"})
  @DisplayName("C-112: a message is decoded to a job, reported with its token, and then committed")
  void handles(Mode mode) {
    Job[] seen = new Job[1];
    TraceContext[] trace = new TraceContext[1];
    runKafka(
        b -> b.mode(mode),
        (job, context) -> {
          seen[0] = job;
          trace[0] = job.traceContext().orElseThrow();
          return Map.of("receipt", "R");
        });
    offset = 40;
    JobDispatchEvent.Builder event =
        Dispatches.dispatch()
            .setAttempt(2)
            .setTimeoutSeconds(9.5)
            .setBusinessKey("order-7")
            .setTraceparent("00-1-2-01");
    feed(event);
    Map<String, Object> report = engine.reportOf(event.getJobId());
    untilCommitted(41);
    assertEquals("completed", report.get("kind"));
    assertEquals(event.getLeaseToken(), report.get("leaseToken"));
    assertEquals(Map.of("receipt", "R"), report.get("variables"));
    assertEquals(Map.of("amount", 42L), seen[0].variables());
    assertEquals(event.getInstanceId(), seen[0].instanceId());
    assertEquals("charge", seen[0].stepId());
    assertEquals(2, seen[0].attempt());
    assertEquals(2, seen[0].retriesRemaining());
    assertEquals("order-7", seen[0].businessKey());
    assertEquals(Duration.ofMillis(9500), seen[0].timeout().orElseThrow());
    assertEquals("00-1-2-01", trace[0].traceparent());
    assertTrue(polls().isEmpty());
    for (var exchange : engine.received("/v1/jobs/exchange"))
      assertNull(exchange.fields().get("poll"));
  }

  @Test
  @DisplayName("W-20: fields from 100 on may be absent; then a report names the worker alone")
  void ofAnOlderEngine() {
    runKafka(b -> b, (job, context) -> Map.of("attempt", job.attempt()));
    JobDispatchEvent.Builder event =
        Dispatches.dispatch().clearLeaseToken().clearAttempt().clearStepId().clearIdempotencyKey();
    feed(event);
    Map<String, Object> report = engine.reportOf(event.getJobId());
    assertEquals("worker-1", report.get("workerId"));
    assertNull(report.get("leaseToken"));
    assertEquals(Map.of("attempt", 1L), report.get("variables"));
    assertTrue(engine.received("/v1/jobs/exchange").isEmpty());
    untilCommitted(1);
  }

  @Test
  @DisplayName("C-112: a dispatch that was reported is not run again, and is committed")
  void skipsRepeats() {
    runKafka(b -> b, (job, context) -> null);
    JobDispatchEvent.Builder event = Dispatches.dispatch();
    feed(event);
    untilCommitted(1);
    feed(event, Dispatches.dispatch());
    untilCommitted(3);
    assertEquals(2, engine.reports().size());
  }

  @Test
  @DisplayName("C-113: a repeat that comes while the first runs waits for it, and is skipped")
  void repeatWaits() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger started = new AtomicInteger();
    runKafka(
        b -> b,
        (job, context) -> {
          started.incrementAndGet();
          go.await();
          return null;
        });
    JobDispatchEvent.Builder event = Dispatches.dispatch();
    feed(event, event);
    engine.until(() -> started.get() == 1);
    go.countDown();
    untilCommitted(2);
    assertEquals(1, started.get());
    assertEquals(1, engine.reports().size());
  }

  @Test
  @DisplayName("C-113: a report that does not arrive is repeated, and nothing is committed before")
  void reportsAgain() {
    JobDispatchEvent.Builder event = Dispatches.dispatch();
    String path = "/v1/jobs/" + event.getJobId() + "/complete";
    List<Long> before = new CopyOnWriteArrayList<>();
    List<Answer> answers =
        List.of(
            Answer.refusal(503, "unavailable"),
            Answer.cut(),
            Answer.refusal(500, "internal-error"),
            Answer.refusal(401, "unauthenticated"));
    for (Answer answer : answers)
      engine.once(
          path,
          request -> {
            before.add(topic.committed());
            return answer;
          });
    runKafka(b -> b.mode(Mode.POLL), (job, context) -> null);
    feed(event);
    untilCommitted(1);
    assertEquals(List.of(-1L, -1L, -1L, -1L), before);
    assertEquals(1, engine.reports().size());
  }

  @Test
  @DisplayName("C-113: an engine that says that the job is another's or gone has answered")
  void stale() {
    JobDispatchEvent.Builder one = Dispatches.dispatch();
    JobDispatchEvent.Builder other = Dispatches.dispatch();
    engine.on("/v1/jobs/" + one.getJobId() + "/complete", r -> Answer.refusal(409, "lease-lost"));
    engine.on("/v1/jobs/" + other.getJobId() + "/complete", r -> Answer.refusal(404, "not-found"));
    runKafka(b -> b.mode(Mode.POLL), (job, context) -> null);
    feed(one, other);
    untilCommitted(2);
  }

  @Test
  @DisplayName("C-94: only the highest contiguous offset is committed")
  void contiguous() {
    List<CountDownLatch> gates = latches(3);
    runKafka(
        b -> b,
        (job, context) -> {
          gates.get(((Long) job.variables().get("n")).intValue()).await();
          return null;
        });
    offset = 10;
    for (int n = 0; n < 3; n++) feed(Dispatches.dispatch("{\"n\": " + n + "}"));
    gates.get(2).countDown();
    gates.get(1).countDown();
    engine.until(() -> topic.told.size() == 2);
    assertEquals(10, topic.committed());
    gates.get(0).countDown();
    untilCommitted(13);
  }

  @Test
  @DisplayName("C-97: jobs of one key run one after the other, others are not held up")
  void inOrder() {
    List<Long> order = new CopyOnWriteArrayList<>();
    CountDownLatch gate = new CountDownLatch(1);
    runKafka(
        b -> b,
        (job, context) -> {
          Long n = (Long) job.variables().get("n");
          order.add(n);
          if (n == 0) gate.await();
          return null;
        });
    List<String> keys = List.of("a", "a", "a", "b");
    for (int n = 0; n < 4; n++)
      feed(keys.get(n), Dispatches.dispatch("{\"n\": " + n + "}").build().toByteArray());
    engine.until(() -> order.size() == 2);
    assertEquals(Set.of(0L, 3L), Set.copyOf(order));
    gate.countDown();
    untilCommitted(4);
    assertEquals(List.of(0L, 1L, 2L), order.stream().filter(n -> n != 3).toList());
  }

  @Test
  @DisplayName("C-107: no more handlers run than allowed")
  void bounded() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    runKafka(
        b -> b.concurrency(2),
        (job, context) -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          Thread.yield();
          running.decrementAndGet();
          return null;
        });
    for (int i = 0; i < 9; i++) feed(Dispatches.dispatch());
    untilCommitted(9);
    assertTrue(most.get() <= 2);
  }

  @Test
  @DisplayName("C-112: what cannot be decoded is logged and skipped")
  void skipsTheUndecodable() {
    runKafka(b -> b, (job, context) -> null);
    feed("a", new byte[] {-1, -1});
    feed(
        Dispatches.dispatch().setSchemaVersion(2),
        Dispatches.dispatch().clearJobId(),
        Dispatches.dispatch("[1]"),
        Dispatches.dispatch("{"),
        Dispatches.dispatch());
    untilCommitted(6);
    assertEquals(1, engine.reports().size());
    assertEquals(
        5, log.records().stream().filter(r -> r.getMessage().contains("is skipped")).count());
  }

  @Test
  @DisplayName("C-109: the outcome rules are those of the other runner")
  void outcomes() {
    runKafka(
        b -> b,
        (job, context) -> {
          throw new NonRetryableException("no");
        });
    JobDispatchEvent.Builder refused = Dispatches.dispatch();
    JobDispatchEvent.Builder strange = Dispatches.dispatch().setJobType("other");
    feed(refused, strange);
    assertFailed(false, "no", engine.reportOf(refused.getJobId()));
    assertFailed(false, "no handler registered for other", engine.reportOf(strange.getJobId()));
    untilCommitted(2);
  }

  @Test
  @DisplayName("W-25: variables that had no room in the message are asked for first")
  void fetchesVariables() {
    JobDispatchEvent.Builder large = Dispatches.dispatch("{}").setPayloadOmitted(true);
    JobDispatchEvent.Builder lost = Dispatches.dispatch("{}").setPayloadOmitted(true);
    String path = "/v1/jobs/" + large.getJobId() + "/heartbeat";
    String end = "2030-01-01T00:00:00.000Z";
    engine.once(path, r -> Answer.refusal(503, "unavailable"));
    engine.on(
        path, r -> Answer.of(200, Map.of("lockExpiresAt", end, "variables", Map.of("amount", 7))));
    engine.on("/v1/jobs/" + lost.getJobId() + "/heartbeat", r -> Answer.refusal(409, "lease-lost"));
    runKafka(b -> b, (job, context) -> Map.of("saw", job.variables().get("amount")));
    feed(large, lost);
    untilCommitted(2);
    assertEquals(1, engine.reports().size());
    assertEquals(Map.of("saw", 7L), engine.reportOf(large.getJobId()).get("variables"));
    Map<String, Object> asked = engine.received(path).get(0).fields();
    assertEquals(large.getLeaseToken(), asked.get("leaseToken"));
    assertEquals(true, asked.get("withVariables"));
  }

  @Test
  @DisplayName("C-113: a refused heartbeat stops the handler, and the message is done with")
  void refusedHeartbeat() throws Exception {
    JobDispatchEvent.Builder event = Dispatches.dispatch();
    String path = "/v1/jobs/" + event.getJobId() + "/heartbeat";
    engine.on(path, r -> Answer.refusal(409, "lease-lost"));
    runKafka(b -> b.clock(clock), (job, context) -> hang());
    feed(event);
    clock.awaitTimerAt(10_000);
    clock.advance(10_000);
    untilCommitted(1);
    assertEquals(event.getLeaseToken(), engine.received(path).get(0).fields().get("leaseToken"));
    assertTrue(engine.reports().isEmpty());
  }

  @Test
  @DisplayName("C-113: what stopped because no heartbeat arrived runs again, and is then committed")
  void unreachableHeartbeat() throws Exception {
    JobDispatchEvent.Builder event = Dispatches.dispatch();
    engine.on("/v1/jobs/" + event.getJobId() + "/heartbeat", r -> Answer.cut());
    AtomicInteger attempts = new AtomicInteger();
    runKafka(
        b -> b.clock(clock), (job, context) -> attempts.incrementAndGet() == 1 ? hang() : null);
    feed(event);
    engine.until(() -> attempts.get() == 1);
    engine.until(
        () -> {
          if (attempts.get() == 1) clock.advance(1_000);
          return attempts.get() == 2;
        });
    untilCommitted(1);
    assertEquals(1, engine.reports().size());
  }

  @Test
  @DisplayName("C-94: on revoke what runs may end, and is committed before")
  void revoked() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger started = new AtomicInteger();
    runKafka(
        b -> b,
        (job, context) -> {
          started.incrementAndGet();
          gate.await();
          return null;
        });
    for (String key : List.of("a", "b", "a"))
      feed(key, Dispatches.dispatch().build().toByteArray());
    engine.until(() -> started.get() == 2);
    var positions = CompletableFuture.supplyAsync(() -> lane.revoked(topic, List.of(0)));
    gate.countDown();
    assertEquals(2, positions.get().get(0));
    assertEquals(2, started.get());
  }

  @Test
  @DisplayName("C-113: on revoke what does not end is told to stop, and not committed")
  void revokedTooSoon() {
    CompletableFuture<CancellationToken.Reason> told = new CompletableFuture<>();
    CountDownLatch started = new CountDownLatch(1);
    runKafka(
        b -> b.stopTimeout(Duration.ofMillis(1)),
        (job, context) -> {
          CancellationToken token = context.cancellation();
          token.onCancel(() -> told.complete(token.reason().orElseThrow()));
          started.countDown();
          return hang();
        });
    feed(Dispatches.dispatch());
    engine.until(() -> started.getCount() == 0);
    assertEquals(Map.of(0, 0L), lane.revoked(topic, List.of(0)));
    assertEquals(CancellationToken.Reason.LEASE_LOST, told.join());
    engine.until(() -> topic.told.size() == 1);
    assertEquals(-1, topic.committed());
    assertTrue(engine.reports().isEmpty());
  }

  @Test
  @DisplayName("C-94: what is reported after the partition has left is not committed")
  void reportedTooLate() {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    runKafka(
        b -> b.stopTimeout(Duration.ofMillis(1)),
        (job, context) -> {
          started.countDown();
          goOn(gate);
          return null;
        });
    feed(Dispatches.dispatch());
    engine.until(() -> started.getCount() == 0);
    assertEquals(Map.of(0, 0L), lane.revoked(topic, List.of(0)));
    gate.countDown();
    engine.until(() -> topic.told.size() == 1);
    assertEquals(1, engine.reports().size());
    assertEquals(-1, topic.committed());
  }

  /** As a handler that does not stop as told. */
  private static void goOn(CountDownLatch gate) {
    while (true)
      try {
        gate.await();
        return;
      } catch (InterruptedException ignored) {
        Thread.onSpinWait();
      }
  }

  @Test
  @DisplayName("C-110: a stop drains, commits what ended, and leaves the groups at the end")
  void drains() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger started = new AtomicInteger();
    Runner runner =
        runKafka(
            b -> b.concurrency(1),
            (job, context) -> {
              started.incrementAndGet();
              gate.await();
              return null;
            });
    feed(Dispatches.dispatch(), Dispatches.dispatch());
    engine.until(() -> started.get() == 1);
    var stopping = CompletableFuture.supplyAsync(runner::stop);
    engine.until(() -> topic.rested);
    assertFalse(topic.closed);
    gate.countDown();
    assertTrue(stopping.get().drained());
    assertTrue(topic.closed);
    assertEquals(1, topic.committed());
    assertEquals(1, started.get());
  }

  @Test
  @DisplayName("C-113: what a stopped runner gave up is not committed")
  void givesUp() {
    CountDownLatch started = new CountDownLatch(1);
    Runner runner =
        runKafka(
            b -> b,
            (job, context) -> {
              started.countDown();
              return hang();
            });
    feed(Dispatches.dispatch());
    engine.until(() -> started.getCount() == 0);
    assertEquals(1, runner.stop(Duration.ZERO).unfinished());
    assertEquals(-1, topic.committed());
  }

  @Test
  @DisplayName("W-24: a job type that has no topic is refused with the reason")
  void refusesOddTypes() {
    Kafka kafka = Kafka.plaintext("127.0.0.1:1");
    for (String type : List.of("a b", "ä", "x".repeat(240))) {
      HandlerRegistry handlers = new HandlerRegistry().register(type, (j, c) -> null);
      RunnerBuilder builder = Runner.builder(client, handlers, "w").kafka(kafka);
      var refused = assertThrows(IllegalArgumentException.class, builder::build);
      assertTrue(refused.getMessage().contains("has no topic"));
    }
  }

  private static Map<String, ?> hang() throws InterruptedException {
    new CountDownLatch(1).await();
    return null;
  }

  private static List<CountDownLatch> latches(int count) {
    return new ArrayList<>(IntStream.range(0, count).mapToObj(i -> new CountDownLatch(1)).toList());
  }
}
