// Opens a lane: one consumer for each job type.
package dev.millrace.internal.kafka;

import dev.millrace.kafka.Kafka;
import java.util.ArrayList;
import java.util.List;

/**
 * What a lane is opened with.
 *
 * @param concurrency handlers that may run at once; as many messages again wait, so that no place
 *     is empty for long
 */
public record KafkaLanes(
    Kafka kafka, List<String> jobTypes, String workerId, int leaseSeconds, int concurrency) {
  public KafkaLanes {
    KafkaLibrary.check();
    jobTypes.forEach(ConsumerSettings::topicOf);
  }

  public KafkaLane open(KafkaBench bench) {
    return new KafkaLane(bench, lane -> openSources(lane, bench));
  }

  private List<Source> openSources(KafkaLane lane, KafkaBench bench) {
    List<Source> sources = new ArrayList<>();
    for (String jobType : jobTypes)
      sources.add(
          new TopicConsumer(
              lane,
              bench,
              ConsumerSettings.topicOf(jobType),
              2 * concurrency,
              ConsumerSettings.of(kafka, jobType, workerId, leaseSeconds)));
    return sources;
  }
}
