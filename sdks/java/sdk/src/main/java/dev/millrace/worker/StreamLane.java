// Has jobs pushed over a stream: gives credit for free places, and opens another stream when one
// ends.
package dev.millrace.worker;

import dev.millrace.Backoff;
import dev.millrace.job.Job;
import dev.millrace.job.JobStream;
import dev.millrace.worker.LeaseWatch.LeaseSpan;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The credit that a stream has left is promised places; what it brings runs at once and is said to
 * be started. What a stream brings after the end of the work is not started: it is ready again.
 */
final class StreamLane implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  private final RunnerSettings settings;
  private final Slots slots;
  private final Workbench workbench;
  private final BooleanSupplier draining;
  private int failures;

  StreamLane(RunnerSettings settings, Slots slots, Workbench workbench, BooleanSupplier draining) {
    this.settings = settings;
    this.slots = slots;
    this.workbench = workbench;
    this.draining = draining;
  }

  @Override
  public void run() {
    try {
      while (!draining.getAsBoolean()) new Session().run();
    } catch (InterruptedException stopped) {
      // The runner drains: no more work is wanted.
    }
  }

  private final class Session implements JobStream.Listener {
    private JobStream stream;
    private int credit;
    private boolean ended;
    private boolean gotJobs;
    private Throwable failure;

    void run() throws InterruptedException {
      int places = awaitPlaces();
      if (places == 0) return;
      addCredit(places);
      try {
        tryToOpen(places);
        while (!isOver()) giveMore(awaitPlaces());
      } finally {
        close();
      }
      if (!draining.getAsBoolean()) backOff();
    }

    private void tryToOpen(int places) {
      try {
        open(places);
      } catch (RuntimeException refused) {
        ended(refused);
      }
    }

    private void open(int places) {
      JobStream.Opening opening =
          new JobStream.Opening(
              settings.workerId(), settings.handlers().jobTypes(), settings.leaseSeconds(), places);
      JobStream opened = settings.calls().stream(opening, this);
      synchronized (this) {
        stream = opened;
        notifyAll();
      }
    }

    /** Waits for free places, the end of the stream or the end of the work; the latter give 0. */
    private int awaitPlaces() throws InterruptedException {
      int[] places = {0};
      slots.await(() -> isOver() || (places[0] = slots.ask(free -> free)) > 0);
      return places[0];
    }

    private void giveMore(int places) {
      if (places == 0) return;
      addCredit(places);
      stream.credit(places);
    }

    private synchronized void addCredit(int places) {
      credit += places;
    }

    private synchronized boolean isOver() {
      return ended || draining.getAsBoolean();
    }

    @Override
    public void jobs(List<Job> jobs) {
      synchronized (this) {
        if (isOver()) return;
        credit -= jobs.size();
        gotJobs = true;
      }
      // Not under this lock: those who wait at the slots look at the stream.
      slots.answered(jobs.size(), jobs.size());
      double now = settings.clock().now();
      for (Job job : jobs)
        workbench.take(List.of(job), LeaseSpan.pushed(job, now, settings.leaseSeconds()));
      opened().started(jobs);
    }

    private synchronized JobStream opened() {
      try {
        while (stream == null) wait();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
      return stream;
    }

    @Override
    public void ended(Throwable why) {
      synchronized (this) {
        ended = true;
        failure = why;
      }
      slots.ring();
    }

    /** What is left of the credit is free again. */
    private void close() {
      int left;
      synchronized (this) {
        ended = true;
        left = credit;
        credit = 0;
      }
      if (stream != null) stream.close();
      slots.answered(left, 0);
    }

    private void backOff() throws InterruptedException {
      failures = failure == null || gotJobs ? 1 : failures + 1;
      if (failure != null) {
        LOG.log(Level.WARNING, "the stream of jobs ended: {0}", failure.toString());
        LOG.log(Level.DEBUG, "the stream that ended", failure);
      }
      settings.clock().sleep(Backoff.before(failures).toNanos() / 1e6);
    }
  }
}
