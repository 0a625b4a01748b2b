// Where the queue stops taking jobs, and where it goes on.
package dev.millrace.queue;

import java.time.Instant;

/**
 * Of each priority and of all together; null keeps what is in force. Immutable: every method gives
 * a new one.
 */
public record Watermarks(Mark critical, Mark high, Mark normal, Mark total) {
  /** Keeps everything as it is; name what is to change. */
  public static final Watermarks UNCHANGED = new Watermarks(null, null, null, null);

  /**
   * New jobs are refused when as many as {@code high} wait or run, and taken again below {@code
   * low}.
   */
  public record Mark(long high, long low) {}

  public Watermarks withCritical(long high, long low) {
    return new Watermarks(new Mark(high, low), this.high, normal, total);
  }

  public Watermarks withHigh(long high, long low) {
    return new Watermarks(critical, new Mark(high, low), normal, total);
  }

  public Watermarks withNormal(long high, long low) {
    return new Watermarks(critical, this.high, new Mark(high, low), total);
  }

  public Watermarks withTotal(long high, long low) {
    return new Watermarks(critical, this.high, normal, new Mark(high, low));
  }

  /** The watermarks in force. */
  public record InForce(
      MarkInForce critical, MarkInForce high, MarkInForce normal, MarkInForce total) {}

  /**
   * One of them.
   *
   * @param source {@code database} where it was set at run time, else {@code config}
   * @param changedAt null where it was never changed, as is changedBy
   */
  public record MarkInForce(
      long high, long low, String source, Instant changedAt, String changedBy) {}
}
