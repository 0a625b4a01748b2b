// A job type and its settings.
package dev.millrace.queue;

import java.time.Duration;
import java.time.Instant;

/**
 * A job type.
 *
 * @param timeout of one attempt, for jobs that name none; null where there is none
 * @param lastPolledAt null where no worker has asked for it
 * @param ready in lists: what waits for a worker
 * @param leased in lists: what workers have
 */
public record JobType(
    String name,
    Duration timeout,
    Instant lastPolledAt,
    Integer ready,
    Integer leased,
    Instant changedAt,
    String changedBy) {}
