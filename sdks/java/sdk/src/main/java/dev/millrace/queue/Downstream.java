// A system that jobs call, and what it can take.
package dev.millrace.queue;

import java.time.Instant;

/**
 * A system that jobs call.
 *
 * @param perSecond null where it is not limited, as is concurrency
 * @param share what is left of its limits after it pushed back
 * @param effectivePerSecond the pace it is given now; null where it has none
 * @param closedUntil null where it is open
 * @param changedAt null where its limits were never set, as is changedBy
 */
public record Downstream(
    String name,
    Double perSecond,
    Integer concurrency,
    boolean adaptive,
    double share,
    Double effectivePerSecond,
    Instant slowedAt,
    Instant closedUntil,
    int inFlight,
    int waiting,
    boolean waitingIsExact,
    Instant changedAt,
    String changedBy) {
  /**
   * What it can take; null is not limited.
   *
   * @param perSecond jobs handed out each second
   * @param concurrency jobs in flight at once
   * @param adaptive slow down when it pushes back
   */
  public record Limits(Double perSecond, Integer concurrency, boolean adaptive) {}
}
