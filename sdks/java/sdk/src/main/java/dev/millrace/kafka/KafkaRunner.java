// A worker whose jobs come through Kafka.
package dev.millrace.kafka;

import dev.millrace.EngineClient;
import dev.millrace.worker.HandlerRegistry;
import dev.millrace.worker.Runner;
import dev.millrace.worker.RunnerBuilder;

/**
 * A worker whose jobs come through Kafka, from an engine with {@code
 * WE_DISPATCH_MODE=kafka_outbox}: from the topics {@code workflow.jobs.<jobType>}, one consumer for
 * each job type. Outcomes go to the engine by the client given. A message is committed when the
 * engine has answered its report; until then it would be delivered again.
 *
 * <pre>{@code
 * Kafka kafka = Kafka.saslScramTls("kafka-1:9093", "worker", System.getenv("KAFKA_PASSWORD"));
 * KafkaRunner.builder(client, handlers, "billing-1", kafka).build().run();
 * }</pre>
 */
public final class KafkaRunner {
  private KafkaRunner() {}

  /**
   * The settings are those of {@link Runner}. {@code waitSeconds} and {@code pollInterval} have no
   * meaning here, and {@code mode} says how reports go.
   */
  public static RunnerBuilder builder(
      EngineClient client, HandlerRegistry handlers, String workerId, Kafka kafka) {
    return Runner.builder(client, handlers, workerId).kafka(kafka);
  }
}
