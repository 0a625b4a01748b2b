// Builds a runner: its settings, their defaults and bounds.
package dev.millrace.worker;

import dev.millrace.internal.Clock;
import dev.millrace.internal.kafka.KafkaBench;
import dev.millrace.internal.kafka.KafkaLane;
import dev.millrace.internal.kafka.KafkaLanes;
import dev.millrace.job.JobCalls;
import dev.millrace.kafka.Kafka;
import dev.millrace.worker.metrics.SdkMetrics;
import java.time.Duration;
import java.util.function.Function;

/** The settings of a runner. */
public final class RunnerBuilder {
  private final JobCalls calls;
  private final HandlerRegistry handlers;
  private final String workerId;
  private int concurrency = 64;
  private Mode mode = Mode.EXCHANGE;
  private int waitSeconds = 20;
  private Duration pollInterval;
  private int leaseSeconds = 30;
  private SdkMetrics metrics = new SdkMetrics();
  private AroundJob around;
  private Duration stopTimeout = Duration.ofSeconds(30);
  private Clock clock = Clock.MONOTONIC;
  private Kafka kafka;
  private Function<KafkaBench, KafkaLane> lane;

  RunnerBuilder(JobCalls calls, HandlerRegistry handlers, String workerId) {
    if (workerId == null || workerId.isBlank())
      throw new IllegalArgumentException("a runner needs a workerId");
    this.calls = calls;
    this.handlers = handlers;
    this.workerId = workerId;
  }

  /** Handlers that may run at once; 64 unless set. */
  public RunnerBuilder concurrency(int concurrency) {
    this.concurrency = within(1, concurrency, 10_000, "concurrency");
    return this;
  }

  /** {@link Mode#EXCHANGE} unless set. */
  public RunnerBuilder mode(Mode mode) {
    this.mode = mode;
    return this;
  }

  /** How long the engine may hold a poll while there is no work: 1 to 30, 20 unless set. */
  public RunnerBuilder waitSeconds(int waitSeconds) {
    this.waitSeconds = within(1, waitSeconds, 30, "waitSeconds");
    return this;
  }

  /** Polls without waiting, at this interval while there is no work, such as 500 ms. */
  public RunnerBuilder pollInterval(Duration interval) {
    within(1, interval.toMillis(), 3_600_000, "pollInterval");
    this.pollInterval = interval;
    return this;
  }

  /** 5 to 3600, 30 unless set; extended by heartbeats while a handler runs. */
  public RunnerBuilder leaseSeconds(int leaseSeconds) {
    this.leaseSeconds = within(5, leaseSeconds, 3600, "leaseSeconds");
    return this;
  }

  /** To share it between runners. */
  public RunnerBuilder metrics(SdkMetrics metrics) {
    this.metrics = metrics;
    return this;
  }

  /** Runs every handler; for tracers. */
  public RunnerBuilder aroundJob(AroundJob around) {
    this.around = around;
    return this;
  }

  /** How long a stop waits for running handlers; 30 s unless set. */
  public RunnerBuilder stopTimeout(Duration timeout) {
    this.stopTimeout = timeout;
    return this;
  }

  /**
   * Jobs come through Kafka, as with {@link dev.millrace.kafka.KafkaRunner}. Needs {@code
   * dev.millrace:millrace-kafka}.
   */
  public RunnerBuilder kafka(Kafka kafka) {
    this.kafka = kafka;
    return this;
  }

  RunnerBuilder clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  RunnerBuilder lane(Function<KafkaBench, KafkaLane> lane) {
    this.lane = lane;
    return this;
  }

  public Runner build() {
    if (kafka != null && mode == Mode.STREAM)
      throw new IllegalArgumentException(
          "jobs come through Kafka: the mode is EXCHANGE or POLL and says how reports go");
    if (mode == Mode.STREAM && !calls.hasStream())
      throw new IllegalArgumentException(
          "jobs are streamed over gRPC only: use a grpc:// or grpcs:// address, or another mode");
    return new Runner(
        new RunnerSettings(
            calls,
            handlers,
            workerId,
            concurrency,
            mode,
            Math.min(waitSeconds, longestWait()),
            pollInterval,
            leaseSeconds,
            leaseSeconds * 100.0,
            metrics,
            around,
            stopTimeout,
            clock,
            kafka == null ? lane : kafkaLanes()::open));
  }

  private KafkaLanes kafkaLanes() {
    return new KafkaLanes(kafka, handlers.jobTypes(), workerId, leaseSeconds, concurrency);
  }

  /** A job may be claimed at any moment of the wait, which must leave a good part of the lease. */
  private int longestWait() {
    return leaseSeconds * 2 / 3;
  }

  private static int within(long least, long value, long most, String name) {
    if (value >= least && value <= most) return (int) value;
    throw new IllegalArgumentException(
        name + " must be " + least + " to " + most + ", got " + value);
  }
}
