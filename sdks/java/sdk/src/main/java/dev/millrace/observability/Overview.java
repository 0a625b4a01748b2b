// How the engine stands.
package dev.millrace.observability;

import dev.millrace.Priority;
import java.time.Instant;
import java.util.List;

/**
 * The engine at a glance. Counts that are not exact stopped at 10,000.
 *
 * @param rates per second, over the last four that are over
 * @param lanes critical, high and normal
 * @param workers with a lease, or that ask for work
 * @param downstreams the busiest first, at most 50
 */
public record Overview(
    Instant at,
    Rates rates,
    List<Lane> lanes,
    Gate total,
    long leases,
    boolean leasesAreExact,
    long workers,
    long deadLetters,
    boolean deadLettersAreExact,
    long openUserTasks,
    boolean openUserTasksAreExact,
    List<DownstreamInView> downstreams) {
  /**
   * Instances, step executions and standalone jobs, each second.
   *
   * @param steps executions that ended
   * @param jobsFailed attempts that failed and are made again
   * @param jobsDead given up
   * @param rejected requests that were refused because a queue was full
   */
  public record Rates(
      double started,
      double completed,
      double failed,
      double cancelled,
      double steps,
      double jobsEnqueued,
      double jobsCompleted,
      double jobsFailed,
      double jobsDead,
      double rejected) {}

  /** All priorities together; {@code shut} refuses new jobs. */
  public record Gate(long depth, long highWatermark, long lowWatermark, boolean shut) {}

  /**
   * One priority.
   *
   * @param weight its share of the claims, of 100
   * @param oldestWaitingSeconds null where nothing is ready
   */
  public record Lane(
      Priority name,
      long depth,
      long highWatermark,
      long lowWatermark,
      boolean shut,
      boolean paused,
      int weight,
      Long oldestWaitingSeconds) {}

  /**
   * A system that jobs call.
   *
   * @param perSecond null where it is not limited, as is concurrency
   * @param startedPerSecond null where it has no limits
   * @param pushedBackUntil null where it did not ask to be left alone
   */
  public record DownstreamInView(
      String name,
      Double perSecond,
      Integer concurrency,
      int inFlight,
      Double startedPerSecond,
      Instant pushedBackUntil,
      boolean paused) {}
}
