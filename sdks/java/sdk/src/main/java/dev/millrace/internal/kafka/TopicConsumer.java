// A consumer of one job type's topic, on a thread of its own.
package dev.millrace.internal.kafka;

import dev.millrace.Backoff;
import dev.millrace.internal.Threads;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Polls, hands over, commits. It holds messages back while too many are here, and goes on polling,
 * because a consumer that does not poll is put out of its group.
 */
final class TopicConsumer implements Source, ConsumerRebalanceListener {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  /** How soon the thread sees that there is something to commit, or that it shall stop. */
  private static final Duration TICK = Duration.ofMillis(100);

  private static final Duration LEAVES_WITHIN = Duration.ofSeconds(10);

  private final KafkaLane lane;
  private final KafkaBench bench;
  private final String topic;
  private final int most;
  private final Consumer<byte[], byte[]> consumer;
  private final Thread thread;
  private final Map<Integer, Long> toCommit = new HashMap<>();
  private int here;
  private int failures;
  private volatile boolean resting;
  private volatile boolean closing;

  /** {@code most}: messages that may be here and not handled. */
  TopicConsumer(
      KafkaLane lane, KafkaBench bench, String topic, int most, Map<String, Object> config) {
    this.lane = lane;
    this.bench = bench;
    this.topic = topic;
    this.most = most;
    this.consumer = new KafkaConsumer<>(config);
    this.thread = Threads.daemons("millrace-" + topic).newThread(this::run);
  }

  @Override
  public String topic() {
    return topic;
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public synchronized void handled(int partition, OptionalLong position) {
    here--;
    position.ifPresent(offset -> toCommit.put(partition, offset));
  }

  @Override
  public void rest() {
    resting = true;
  }

  @Override
  public void close() {
    closing = true;
    if (thread.getState() == Thread.State.NEW) consumer.close();
    try {
      TimeUnit.MILLISECONDS.timedJoin(thread, LEAVES_WITHIN.toMillis() * 2);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try (consumer) {
      consumer.subscribe(List.of(topic), this);
      while (!closing) turn();
      commit();
    } catch (InterruptException stopped) {
      Thread.currentThread().interrupt();
    } catch (Throwable fault) {
      bench.broken(fault);
    }
  }

  private void turn() throws InterruptedException {
    try {
      holdOrGoOn();
      List<KafkaLane.Message> messages = poll();
      if (!messages.isEmpty()) handOver(messages);
      commit();
      failures = 0;
    } catch (InterruptException stopped) {
      throw stopped;
    } catch (KafkaException trouble) {
      failures++;
      LOG.log(Level.WARNING, "Kafka has a trouble with {0}: {1}", topic, explain(trouble));
      bench.clock().sleep(Backoff.before(failures).toNanos() / 1e6);
    }
  }

  private static String explain(Throwable trouble) {
    return trouble.getCause() == null ? trouble.toString() : trouble + ": " + trouble.getCause();
  }

  private List<KafkaLane.Message> poll() {
    List<KafkaLane.Message> messages = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(TICK)) {
      byte[] key = record.key();
      messages.add(
          new KafkaLane.Message(
              record.partition(),
              record.offset(),
              key == null ? null : new String(key, StandardCharsets.ISO_8859_1),
              record.value()));
    }
    return messages;
  }

  private void handOver(List<KafkaLane.Message> messages) {
    synchronized (this) {
      here += messages.size();
    }
    lane.received(this, messages);
  }

  /** Partitions may come while others are held. */
  private void holdOrGoOn() {
    if (isFull()) consumer.pause(consumer.assignment());
    else if (!consumer.paused().isEmpty()) consumer.resume(consumer.paused());
  }

  private synchronized boolean isFull() {
    return resting || here >= most;
  }

  private void commit() {
    Map<TopicPartition, OffsetAndMetadata> offsets = takePositions();
    if (!offsets.isEmpty()) consumer.commitAsync(offsets, this::committed);
  }

  private synchronized Map<TopicPartition, OffsetAndMetadata> takePositions() {
    Map<TopicPartition, OffsetAndMetadata> offsets = offsets(toCommit);
    toCommit.clear();
    return offsets;
  }

  private Map<TopicPartition, OffsetAndMetadata> offsets(Map<Integer, Long> positions) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    positions.forEach(
        (partition, offset) ->
            offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(offset)));
    return offsets;
  }

  /** What failed goes with the next, unless that is further on, or the partition has left. */
  private void committed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception failure) {
    if (failure == null) return;
    LOG.log(Level.WARNING, "Kafka did not take a commit for {0}: {1}", topic, failure.toString());
    synchronized (this) {
      offsets.forEach(
          (place, offset) -> {
            if (consumer.assignment().contains(place))
              toCommit.putIfAbsent(place.partition(), offset.offset());
          });
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

  /** What is confirmed is committed before another worker goes on from there. */
  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    Map<Integer, Long> confirmed = lane.revoked(this, forget(partitions));
    if (confirmed.isEmpty()) return;
    try {
      consumer.commitSync(offsets(confirmed), LEAVES_WITHIN);
    } catch (KafkaException failure) {
      LOG.log(Level.WARNING, "a last commit for {0} failed: {1}", topic, failure.toString());
    }
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    lane.lost(this, forget(partitions));
  }

  private synchronized List<Integer> forget(Collection<TopicPartition> partitions) {
    List<Integer> numbers = partitions.stream().map(TopicPartition::partition).toList();
    toCommit.keySet().removeAll(numbers);
    return numbers;
  }
}
