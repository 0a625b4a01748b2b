// How the engine went.
package dev.millrace.observability;

import dev.millrace.internal.WireName;
import java.time.Instant;
import java.util.List;

/**
 * Counts and gauges by time, of all processes, up to the last step that is over.
 *
 * @param stepSeconds how long each step of the series is
 */
public record Stats(Window window, int stepSeconds, Instant from, Instant to, Series series) {
  /** How far back. */
  public enum Window implements WireName {
    QUARTER_HOUR("PT15M"),
    HOUR("PT1H"),
    DAY("P1D");

    private final String wire;

    Window(String wire) {
      this.wire = wire;
    }

    @Override
    public String wire() {
      return wire;
    }
  }

  /**
   * Lists of equal length, oldest first. The last five are gauges, null as long as no process has
   * looked.
   *
   * @param at when each step begins, in seconds since 1970
   */
  public record Series(
      List<Long> at,
      List<Long> started,
      List<Long> completed,
      List<Long> failed,
      List<Long> cancelled,
      List<Long> steps,
      List<Long> jobsEnqueued,
      List<Long> jobsCompleted,
      List<Long> jobsFailed,
      List<Long> jobsDead,
      List<Long> rejected,
      List<Long> depthCritical,
      List<Long> depthHigh,
      List<Long> depthNormal,
      List<Long> leased,
      List<Long> deadLetters) {}
}
