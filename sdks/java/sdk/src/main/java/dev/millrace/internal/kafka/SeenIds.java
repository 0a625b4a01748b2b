// Remembers which dispatches were handled here: one that the broker delivers again is not run
// again.
package dev.millrace.internal.kafka;

import dev.millrace.internal.Clock;
import java.util.HashMap;
import java.util.Map;

final class SeenIds {
  static final double WINDOW_MS = 600_000;
  private static final int SWEEPS_PER_WINDOW = 4;

  private final Clock clock;
  private final Map<String, Double> seen = new HashMap<>();
  private double sweptAt;

  SeenIds(Clock clock) {
    this.clock = clock;
    this.sweptAt = clock.now();
  }

  /** Only what the engine has answered: an id remembered before would drop the next delivery. */
  void add(String dedupId) {
    sweep();
    seen.put(dedupId, clock.now());
  }

  boolean contains(String dedupId) {
    Double at = seen.get(dedupId);
    return at != null && isFresh(at);
  }

  int size() {
    return seen.size();
  }

  private void sweep() {
    if (clock.now() - sweptAt < WINDOW_MS / SWEEPS_PER_WINDOW) return;
    sweptAt = clock.now();
    seen.values().removeIf(at -> !isFresh(at));
  }

  private boolean isFresh(double at) {
    return clock.now() - at < WINDOW_MS;
  }
}
