// Asks for jobs whenever places are free: long polls that the engine answers as soon as there is
// work, or short polls.
package dev.millrace.worker;

import dev.millrace.Backoff;
import dev.millrace.internal.Clock;
import java.lang.System.Logger.Level;
import java.time.Duration;

final class PollLane implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  /** An engine that answers "nothing" at once although asked to wait is shutting down. */
  private static final double LONGEST_PAUSE_MS = 500;

  /** What the lane needs of its runner. */
  interface Asker {
    /** Waits for places and promises them; 0 when no more work is wanted. */
    int awaitPlaces() throws InterruptedException;

    /** Asks once and starts what comes: the number of jobs. */
    int poll(int places);

    boolean isDraining();
  }

  private final Asker asker;
  private final Clock clock;
  private final Duration interval;
  private final int waitSeconds;
  private int failures;
  private int hastyAnswers;

  PollLane(RunnerSettings settings, Asker asker) {
    this.asker = asker;
    this.clock = settings.clock();
    this.interval = settings.pollInterval();
    this.waitSeconds = settings.waitSeconds();
  }

  @Override
  public void run() {
    try {
      for (int places = asker.awaitPlaces(); places > 0; places = asker.awaitPlaces())
        pollOnce(places);
    } catch (InterruptedException stopped) {
      // The runner drains: no more work is wanted.
    }
  }

  private void pollOnce(int places) throws InterruptedException {
    double askedAt = clock.now();
    try {
      int jobs = asker.poll(places);
      failures = 0;
      double pauseMs = pauseMs(places, jobs, clock.now() - askedAt);
      if (pauseMs > 0) clock.sleep(pauseMs);
    } catch (RuntimeException failure) {
      if (!asker.isDraining()) backOff(failure);
    }
  }

  private double pauseMs(int places, int jobs, double tookMs) {
    if (interval != null) return jobs < places ? interval.toMillis() : 0;
    boolean hasty = jobs == 0 && tookMs < waitSeconds * 500.0;
    hastyAnswers = hasty ? hastyAnswers + 1 : 0;
    if (!hasty) return 0;
    return Math.min(LONGEST_PAUSE_MS, Backoff.before(hastyAnswers).toNanos() / 1e6);
  }

  private void backOff(RuntimeException failure) throws InterruptedException {
    failures++;
    LOG.log(Level.WARNING, "poll failed, backing off: {0}", failure.toString());
    LOG.log(Level.DEBUG, "the poll that failed", failure);
    clock.sleep(SingleReporter.pauseMs(failure, failures));
  }
}
