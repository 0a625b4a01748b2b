// A job that stands alone, as the queue knows it.
package dev.millrace.queue;

import dev.millrace.Priority;
import java.time.Instant;
import java.util.Map;

/**
 * A job that stands alone.
 *
 * @param result null until it is completed
 * @param error of the last attempt that failed; null where none did
 * @param dueAt when it is ready, where it waits for a time; else null
 * @param workerId the worker that has it, or had it last; null where none
 * @param replayOf the job whose dead letter was replayed as this one; null where none was
 */
public record StandaloneJob(
    String id,
    String type,
    Status status,
    Priority priority,
    Map<String, Object> payload,
    Map<String, Object> result,
    int retryCount,
    String error,
    Instant createdAt,
    Instant updatedAt,
    Instant dueAt,
    String workerId,
    String replayOf) {
  /** Where a standalone job is. */
  public enum Status {
    PENDING,
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLED,
    /** A word of an engine that is newer than this SDK. */
    UNRECOGNIZED
  }
}
