// What a runner was built with.
package dev.millrace.worker;

import dev.millrace.internal.Clock;
import dev.millrace.internal.kafka.KafkaBench;
import dev.millrace.internal.kafka.KafkaLane;
import dev.millrace.job.JobCalls;
import dev.millrace.worker.metrics.SdkMetrics;
import java.time.Duration;
import java.util.function.Function;

/**
 * The settings of a runner.
 *
 * @param pollInterval null for long polls
 * @param marginMs handlers are told to stop this long before the lease may end
 * @param around runs every handler
 * @param kafka opens the lane of a runner whose jobs come through Kafka; null for others
 */
record RunnerSettings(
    JobCalls calls,
    HandlerRegistry handlers,
    String workerId,
    int concurrency,
    Mode mode,
    int waitSeconds,
    Duration pollInterval,
    int leaseSeconds,
    double marginMs,
    SdkMetrics metrics,
    AroundJob around,
    Duration stopTimeout,
    Clock clock,
    Function<KafkaBench, KafkaLane> kafka) {}
