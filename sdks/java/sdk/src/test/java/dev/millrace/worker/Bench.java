// What the tests of a worker stand on: a scripted engine, a client, and runners that end with the
// test.
package dev.millrace.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.EngineClient;
import dev.millrace.support.Logged;
import dev.millrace.support.ManualClock;
import dev.millrace.support.Samples;
import dev.millrace.support.ScriptedEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

abstract class Bench {
  final ScriptedEngine engine = new ScriptedEngine();
  final EngineClient client = EngineClient.connect(engine.url());
  final ManualClock clock = new ManualClock();
  final Logged log = new Logged();
  private final List<Runner> runners = new ArrayList<>();

  @AfterEach
  void end() {
    for (Runner runner : runners) runner.stop(Duration.ZERO);
    client.close();
    engine.close();
    log.close();
  }

  RunnerBuilder builder(String workerId, Handler handler) {
    HandlerRegistry handlers = new HandlerRegistry().register("charge-card", handler);
    return Runner.builder(client, handlers, workerId);
  }

  Runner run(UnaryOperator<RunnerBuilder> settings, Handler handler) {
    Runner runner = settings.apply(builder("worker-1", handler)).build().start();
    runners.add(runner);
    return runner;
  }

  /** The one that was started last. */
  Runner runner() {
    return runners.get(runners.size() - 1);
  }

  /** What is reported of one job that this handler runs. */
  Map<String, Object> reportOf(Handler handler) {
    Map<String, Object> job = Samples.job();
    run(b -> b, handler);
    engine.offer(job);
    return engine.reportOf(Samples.id(job));
  }

  static void assertFailed(boolean retryable, String message, Map<String, Object> report) {
    assertEquals("failed", report.get("kind"));
    assertEquals(retryable, report.get("retryable"));
    assertEquals(message, report.get("errorMessage"));
  }

  List<ScriptedEngine.Received> polls() {
    return engine.received("/v1/jobs/poll");
  }
}
