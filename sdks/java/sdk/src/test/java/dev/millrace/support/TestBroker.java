// A real broker for tests, in a folder of its own.
package dev.millrace.support;

import dev.millrace.kafka.Kafka;
import dev.millrace.proto.workflow.v1.JobDispatchEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

public final class TestBroker implements AutoCloseable {
  private static final Path SCRIPT = Path.of("../../../tools/kafka.sh").toAbsolutePath();

  private final Path folder;
  private final Map<String, String> told = new HashMap<>();

  private TestBroker(Path folder) {
    this.folder = folder;
  }

  public static TestBroker start(Path folder) {
    TestBroker broker = new TestBroker(folder);
    for (String line : broker.run("start", "--port", "0", "--secure").split("\n"))
      if (line.contains("=")) broker.told.put(line.split("=", 2)[0], line.split("=", 2)[1].strip());
    return broker;
  }

  private String run(String... words) {
    List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
    command.addAll(List.of(words));
    command.addAll(List.of("--dir", folder.toString()));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) throw new AssertionError("kafka.sh failed: " + said);
      return said;
    } catch (IOException | InterruptedException failed) {
      throw new AssertionError(failed);
    }
  }

  public Kafka plaintext() {
    return Kafka.plaintext(told.get("KAFKA_BOOTSTRAP"));
  }

  public Kafka secured() {
    return Kafka.saslScramTls(
            told.get("KAFKA_SASL_SSL"), told.get("KAFKA_USER"), told.get("KAFKA_PASSWORD"))
        .withTrustedCertificates(Path.of(told.get("KAFKA_CA")));
  }

  /** The job type that it is for. */
  public String makeTopic(int partitions) {
    String jobType = "type-" + UUID.randomUUID();
    try (Admin admin = admin()) {
      admin
          .createTopics(List.of(new NewTopic(topicOf(jobType), partitions, (short) 1)))
          .all()
          .get();
      return jobType;
    } catch (InterruptedException | ExecutionException failed) {
      throw new AssertionError(failed);
    }
  }

  /**
   * Returns when the broker has every message. What it does not take in time is sent once more by
   * another producer: after a restart, a broker can leave a single producer without an answer.
   */
  public void send(String jobType, List<JobDispatchEvent> events) {
    List<JobDispatchEvent> left = events;
    for (int tries = 0; tries < 10 && !left.isEmpty(); tries++) left = refused(jobType, left);
    if (!left.isEmpty()) throw new AssertionError("the broker took no message in ten tries");
  }

  private List<JobDispatchEvent> refused(String jobType, List<JobDispatchEvent> events) {
    Map<JobDispatchEvent, Future<?>> sent = new LinkedHashMap<>();
    try (var producer =
        new KafkaProducer<>(producerConfig(), new StringSerializer(), new ByteArraySerializer())) {
      for (JobDispatchEvent event : events) sent.put(event, producer.send(record(jobType, event)));
    }
    return events.stream().filter(event -> isRefused(sent.get(event))).toList();
  }

  private static boolean isRefused(Future<?> sent) {
    try {
      sent.get();
      return false;
    } catch (ExecutionException refused) {
      return true;
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  private Map<String, Object> producerConfig() {
    return Map.of(
        "bootstrap.servers",
        told.get("KAFKA_BOOTSTRAP"),
        "acks",
        "all",
        "request.timeout.ms",
        10_000,
        "delivery.timeout.ms",
        20_000);
  }

  private static ProducerRecord<String, byte[]> record(String jobType, JobDispatchEvent event) {
    return new ProducerRecord<>(topicOf(jobType), event.getInstanceId(), event.toByteArray());
  }

  /** How many messages the group has behind it. */
  public long committed(String jobType, int partitions) {
    try (Admin admin = admin()) {
      var offsets =
          admin
              .listConsumerGroupOffsets("workflow.workers." + jobType)
              .partitionsToOffsetAndMetadata()
              .get();
      long sum = 0;
      for (int number = 0; number < partitions; number++) {
        var offset = offsets.get(new TopicPartition(topicOf(jobType), number));
        if (offset != null) sum += offset.offset();
      }
      return sum;
    } catch (InterruptedException | ExecutionException failed) {
      throw new AssertionError(failed);
    }
  }

  /** kill -9, and the same broker again. */
  public void restart() {
    run("kill");
    run("start");
  }

  @Override
  public void close() {
    run("stop");
  }

  private Admin admin() {
    return Admin.create(Map.<String, Object>of("bootstrap.servers", told.get("KAFKA_BOOTSTRAP")));
  }

  private static String topicOf(String jobType) {
    return "workflow.jobs." + jobType;
  }
}
