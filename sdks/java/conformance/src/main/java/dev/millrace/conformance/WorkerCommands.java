// The commands of the worker: one runner at a time, its handlers made from scripts, every delivery
// written down.
package dev.millrace.conformance;

import dev.millrace.EngineClient;
import dev.millrace.kafka.Kafka;
import dev.millrace.worker.HandlerRegistry;
import dev.millrace.worker.Mode;
import dev.millrace.worker.Runner;
import dev.millrace.worker.RunnerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

final class WorkerCommands {
  private final List<Delivery> deliveries = new ArrayList<>();
  private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();
  private Runner runner;

  synchronized Object start(EngineClient client, Arguments with) {
    if (runner != null) throw new IllegalStateException("a worker is running already");
    HandlerRegistry handlers = new HandlerRegistry();
    with.map("handlers")
        .forEach(
            (type, script) -> handlers.register(type, new Script(new Arguments(script), this)));
    RunnerBuilder builder = Runner.builder(client, handlers, with.text("workerId"));
    if (with.text("mode").equals("kafka")) builder.kafka(Kafka.plaintext(with.text("brokers")));
    else builder.mode(with.constant("mode", Mode.class));
    runner =
        builder
            .concurrency(with.number("concurrency", 64))
            .leaseSeconds(with.number("leaseSeconds", 30))
            .build()
            .start();
    return null;
  }

  void add(Delivery delivery) {
    synchronized (deliveries) {
      deliveries.add(delivery);
    }
  }

  List<Object> handled() {
    synchronized (deliveries) {
      List<Object> items = new ArrayList<>();
      for (Delivery delivery : deliveries) items.add(delivery.toMap());
      return items;
    }
  }

  /** Opens now and stays open. */
  Object release(String name) {
    gate(name).countDown();
    return null;
  }

  CountDownLatch gate(String name) {
    return gates.computeIfAbsent(name, n -> new CountDownLatch(1));
  }

  /** Whether everything that ran was finished and reported. */
  boolean stop(Duration timeout) {
    Runner stopped = takeRunner();
    if (stopped == null) return true;
    return (timeout == null ? stopped.stop() : stopped.stop(timeout)).drained();
  }

  private synchronized Runner takeRunner() {
    Runner taken = runner;
    runner = null;
    return taken;
  }
}
