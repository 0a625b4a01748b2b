// A job that is not done, of a workflow or alone.
package dev.millrace.queue;

import dev.millrace.Priority;
import java.time.Instant;

/**
 * A job that is not done.
 *
 * @param status ready, leased, delayed or held
 * @param instanceId null on a standalone job, as are stepId and definitionId
 * @param key what its run was started with; null where there is none or it may not be seen
 * @param businessKey of its instance; null where that has none or it may not be seen
 * @param linkingId the event that its run may wait for; null as the businessKey is
 * @param visibleAt when a delayed one is due; else null
 * @param workerId the holder of the lease; null where none, as is lockExpiresAt
 */
public record LiveJob(
    String id,
    String jobType,
    Priority priority,
    String status,
    String instanceId,
    String stepId,
    String definitionId,
    String key,
    String businessKey,
    String linkingId,
    Instant createdAt,
    Instant visibleAt,
    int attempt,
    String workerId,
    Instant lockExpiresAt) {
  /**
   * Which live jobs a list means; null stands for any, of the status for ready.
   *
   * @param keyPrefix of standalone jobs: how the key begins that they were enqueued with
   */
  public record Filter(String status, String jobType, Priority priority, String keyPrefix) {
    /** Those that are ready. */
    public static final Filter READY = new Filter(null, null, null);

    public Filter(String status, String jobType, Priority priority) {
      this(status, jobType, priority, null);
    }
  }
}
