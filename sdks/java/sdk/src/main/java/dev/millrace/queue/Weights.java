// How the priorities share the claims.
package dev.millrace.queue;

import java.time.Instant;

/** Whole numbers that add up to 100. */
public record Weights(int critical, int high, int normal) {
  /**
   * The weights in force.
   *
   * @param source {@code database} where they were set at run time, else {@code config}
   * @param changedAt null where they were never changed, as is changedBy
   */
  public record InForce(
      int critical, int high, int normal, String source, Instant changedAt, String changedBy) {}
}
