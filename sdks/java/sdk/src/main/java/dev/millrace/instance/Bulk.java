// One action on many instances or dead letters.
package dev.millrace.instance;

import dev.millrace.internal.WireName;
import java.time.Instant;

/**
 * How far a bulk operation is.
 *
 * @param done what was dealt with elsewhere meanwhile is in neither count
 * @param finishedAt null while it works
 */
public record Bulk(
    String id,
    String action,
    boolean dryRun,
    long matched,
    long done,
    long failed,
    boolean finished,
    Instant createdAt,
    Instant finishedAt) {
  /** What is done to each instance. */
  public enum Action implements WireName {
    CANCEL,
    RETRY;

    @Override
    public String wire() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /**
   * What to do to which instances.
   *
   * @param filter must name something
   * @param dryRun counts what matches, and changes nothing
   * @param reason kept as failureReason of what is cancelled; may be null
   */
  public record Request(Action action, InstanceFilter filter, boolean dryRun, String reason) {}
}
