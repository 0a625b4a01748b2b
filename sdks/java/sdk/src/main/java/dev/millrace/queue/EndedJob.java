// A standalone job that has ended.
package dev.millrace.queue;

import dev.millrace.Priority;
import java.time.Instant;

/**
 * A standalone job that has ended.
 *
 * @param key that it was enqueued with; null where it had none
 * @param status COMPLETED, FAILED or CANCELLED
 * @param attempts how many there were
 * @param workerId that ended it; null where none did
 * @param error the beginning of the last one; null where there was none
 * @param replayOf the job whose place it took; null where it took none
 */
public record EndedJob(
    String id,
    String jobType,
    String key,
    Priority priority,
    String status,
    Instant createdAt,
    Instant endedAt,
    int attempts,
    String workerId,
    String error,
    String replayOf) {
  /**
   * Which ended jobs a list means; null stands for any.
   *
   * @param keyPrefix how the key begins that they were enqueued with
   */
  public record Filter(String status, String jobType, Priority priority, String keyPrefix) {
    /** Every one. */
    public static final Filter ALL = new Filter(null, null, null);

    public Filter(String status, String jobType, Priority priority) {
      this(status, jobType, priority, null);
    }
  }

  /**
   * An attempt that is over.
   *
   * @param outcome completed, failed, timed-out, lost, returned or parked
   * @param workerId null where it is not known
   * @param error null where there was none
   */
  public record Attempt(
      int attempt, String outcome, Instant endedAt, String workerId, String error) {}

  /** The job that was enqueued. */
  public record Rerun(String jobId) {}
}
