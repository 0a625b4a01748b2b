// A runner with jobs from a real broker. Needs the broker's jars and MILLRACE_FULL_TESTS=1.
package dev.millrace.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.EngineClient;
import dev.millrace.proto.workflow.v1.JobDispatchEvent;
import dev.millrace.support.Dispatches;
import dev.millrace.support.Logged;
import dev.millrace.support.ScriptedEngine;
import dev.millrace.support.TestBroker;
import dev.millrace.worker.Handler;
import dev.millrace.worker.HandlerRegistry;
import dev.millrace.worker.Runner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

@EnabledIfEnvironmentVariable(named = "MILLRACE_FULL_TESTS", matches = "1")
class KafkaBrokerTest {
  @TempDir static Path folder;
  private static TestBroker broker;

  private final ScriptedEngine engine = new ScriptedEngine();
  private final EngineClient client = EngineClient.connect(engine.url());
  private final Logged log = new Logged();
  private final List<Runner> runners = new ArrayList<>();

  @BeforeAll
  static void startBroker() {
    broker = TestBroker.start(folder.resolve("kafka"));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @AfterEach
  void end() {
    for (Runner runner : runners) runner.stop(Duration.ZERO);
    client.close();
    engine.close();
    log.close();
  }

  private Runner run(Kafka kafka, String jobType, String workerId, Handler handler) {
    HandlerRegistry handlers = new HandlerRegistry().register(jobType, handler);
    Runner runner =
        KafkaRunner.builder(client, handlers, workerId, kafka)
            .leaseSeconds(6)
            .concurrency(3)
            .build()
            .start();
    runners.add(runner);
    return runner;
  }

  private static List<JobDispatchEvent> jobs(String jobType, int count) {
    return Stream.generate(() -> Dispatches.dispatch().setJobType(jobType).build())
        .limit(count)
        .toList();
  }

  private void untilDone(List<JobDispatchEvent> events) {
    Set<String> wanted = new HashSet<>();
    for (JobDispatchEvent event : events) wanted.add(event.getJobId());
    engine.until(() -> done().containsAll(wanted), Duration.ofMinutes(5));
  }

  private Set<Object> done() {
    Set<Object> ids = new HashSet<>();
    for (Map<String, Object> report : engine.reports()) ids.add(report.get("jobId"));
    return ids;
  }

  @Test
  @DisplayName("C-94: from the earliest message on, committed when handled, no more than places")
  void handles() {
    String jobType = broker.makeTopic(2);
    List<JobDispatchEvent> events = jobs(jobType, 200);
    broker.send(jobType, events);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Runner runner =
        run(
            broker.plaintext(),
            jobType,
            "worker-1",
            (job, context) -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              running.decrementAndGet();
              return null;
            });
    untilDone(events);
    runner.stop();
    assertEquals(200, broker.committed(jobType, 2));
    assertEquals(200, engine.reports().size());
    assertTrue(most.get() <= 3);
  }

  @Test
  @DisplayName("C-113: what one worker gave up another gets")
  void givesUp() {
    String jobType = broker.makeTopic(1);
    List<JobDispatchEvent> events = jobs(jobType, 1);
    broker.send(jobType, events);
    CountDownLatch started = new CountDownLatch(1);
    Runner first =
        run(
            broker.plaintext(),
            jobType,
            "worker-1",
            (job, context) -> {
              started.countDown();
              new CountDownLatch(1).await();
              return null;
            });
    engine.until(() -> started.getCount() == 0, Duration.ofMinutes(5));
    assertEquals(1, first.stop(Duration.ZERO).unfinished());
    assertEquals(0, broker.committed(jobType, 1));
    run(broker.plaintext(), jobType, "worker-2", (job, context) -> null);
    untilDone(events);
  }

  @Test
  @DisplayName("C-94: cooperative-sticky: a worker joins and leaves, and every job is handled")
  void rebalances() {
    String jobType = broker.makeTopic(4);
    List<JobDispatchEvent> events = new ArrayList<>(jobs(jobType, 100));
    broker.send(jobType, events);
    run(broker.plaintext(), jobType, "worker-1", (job, context) -> null);
    untilDone(events.subList(0, 50));
    CountDownLatch seen = new CountDownLatch(1);
    Runner second =
        run(
            broker.plaintext(),
            jobType,
            "worker-2",
            (job, context) -> {
              seen.countDown();
              return null;
            });
    engine.until(
        () -> {
          List<JobDispatchEvent> more = jobs(jobType, 1);
          broker.send(jobType, more);
          events.addAll(more);
          return seen.getCount() == 0;
        },
        Duration.ofMinutes(5));
    second.stop();
    List<JobDispatchEvent> last = jobs(jobType, 20);
    broker.send(jobType, last);
    events.addAll(last);
    untilDone(events);
  }

  @Test
  @DisplayName("C-95: TLS with SASL/SCRAM")
  void secured() {
    String jobType = broker.makeTopic(1);
    List<JobDispatchEvent> events = jobs(jobType, 1);
    broker.send(jobType, events);
    run(broker.secured(), jobType, "worker-1", (job, context) -> null);
    untilDone(events);
  }

  @Test
  @DisplayName("C-95: a wrong password is told, and nothing falls back")
  void wrongPassword() {
    String jobType = broker.makeTopic(1);
    broker.send(jobType, jobs(jobType, 1));
    Kafka right = broker.secured();
    Kafka wrong =
        Kafka.saslScramTls(right.brokers(), right.username(), "wrong")
            .withTrustedCertificates(right.certificates());
    run(wrong, jobType, "worker-1", (job, context) -> null);
    engine.until(() -> log.heard("SaslAuthenticationException"), Duration.ofMinutes(5));
    assertTrue(engine.reports().isEmpty());
  }

  @Test
  @DisplayName("C-95: a certificate of another authority is told, and nothing falls back")
  void wrongAuthority() {
    String jobType = broker.makeTopic(1);
    broker.send(jobType, jobs(jobType, 1));
    Kafka right = broker.secured();
    Kafka wrong = Kafka.saslScramTls(right.brokers(), right.username(), right.password());
    run(wrong, jobType, "worker-1", (job, context) -> null);
    engine.until(() -> log.heard("SslAuthenticationException"), Duration.ofMinutes(5));
    assertTrue(engine.reports().isEmpty());
  }

  @Test
  @DisplayName("C-101: after an outage of the broker the worker goes on by itself")
  void outage() {
    String jobType = broker.makeTopic(1);
    List<JobDispatchEvent> before = jobs(jobType, 1);
    broker.send(jobType, before);
    run(broker.plaintext(), jobType, "worker-1", (job, context) -> null);
    untilDone(before);
    broker.restart();
    List<JobDispatchEvent> after = jobs(jobType, 1);
    broker.send(jobType, after);
    untilDone(after);
  }
}
