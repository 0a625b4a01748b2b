// Something whose jobs are taken in and not handed out.
package dev.millrace.queue;

import dev.millrace.internal.WireName;
import java.time.Instant;

/**
 * What is paused, by whom and why.
 *
 * @param reason null where none was given
 */
public record Pause(Kind kind, String name, String reason, String pausedBy, Instant pausedAt) {
  /** What can be paused. */
  public enum Kind implements WireName {
    QUEUE("queue"),
    JOB_TYPE("jobType"),
    DEFINITION("definition"),
    DOWNSTREAM("downstream");

    private final String wire;

    Kind(String wire) {
      this.wire = wire;
    }

    @Override
    public String wire() {
      return wire;
    }
  }
}
