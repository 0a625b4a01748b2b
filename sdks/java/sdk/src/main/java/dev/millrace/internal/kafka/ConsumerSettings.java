// The settings of a consumer, as Kafka's client takes them.
package dev.millrace.internal.kafka;

import dev.millrace.kafka.Kafka;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

final class ConsumerSettings {
  private static final int LONGEST_TOPIC = 249;
  private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9._-]+");

  /** What brokers allow a consumer at the least. */
  private static final int SHORTEST_SESSION_MS = 6_000;

  private static final int POLL_INTERVAL_MS = 300_000;

  private ConsumerSettings() {}

  /** Fails with a LinkageError where the library is not there. */
  static void load() {
    KafkaConsumer.class.getName();
  }

  static String topicOf(String jobType) {
    String topic = "workflow.jobs." + jobType;
    if (ALLOWED.matcher(topic).matches() && topic.length() <= LONGEST_TOPIC) return topic;
    throw new IllegalArgumentException(
        "job type \""
            + jobType
            + "\" has no topic in Kafka: letters, digits, dots, underscores and hyphens only, and"
            + " at most 249 characters as \""
            + topic
            + "\"");
  }

  /** A worker that falls silent loses its partitions after as long as it would lose a lease. */
  static Map<String, Object> of(Kafka kafka, String jobType, String workerId, int leaseSeconds) {
    int session = Math.max(SHORTEST_SESSION_MS, leaseSeconds * 1000);
    Map<String, Object> config = new HashMap<>(security(kafka));
    config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.brokers());
    config.put(ConsumerConfig.CLIENT_ID_CONFIG, workerId + "-" + jobType);
    config.put(ConsumerConfig.GROUP_ID_CONFIG, "workflow.workers." + jobType);
    config.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    config.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, session);
    config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, session / 3);
    config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Math.max(POLL_INTERVAL_MS, session));
    config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 100);
    // A topic that is made later is found after this time.
    config.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 10_000);
    config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return config;
  }

  private static Map<String, Object> security(Kafka kafka) {
    if (kafka.transport() == Kafka.Transport.PLAINTEXT)
      return Map.of("security.protocol", "PLAINTEXT");
    Map<String, Object> config = new HashMap<>();
    config.put("security.protocol", "SASL_SSL");
    config.put(SaslConfigs.SASL_MECHANISM, kafka.mechanism());
    config.put(
        SaslConfigs.SASL_JAAS_CONFIG,
        "org.apache.kafka.common.security.scram.ScramLoginModule required username="
            + quoted(kafka.username())
            + " password="
            + quoted(kafka.password())
            + ";");
    if (kafka.certificates() != null) {
      config.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
      config.put(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, kafka.certificates().toString());
    }
    return config;
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
