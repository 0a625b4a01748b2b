// A worker, as the engine sees it.
package dev.millrace.queue;

import java.time.Instant;
import java.util.List;

/**
 * A worker with a lease, or one that asks for work.
 *
 * @param since when it claimed the oldest job it has; null where it has none
 */
public record WorkerInView(
    String workerId,
    int inFlight,
    List<String> jobTypes,
    Instant since,
    Instant lastSeenAt,
    Instant firstSeenAt,
    boolean polling) {}
