// Keeps one lease alive while its handler runs, and tells when it must be taken for lost.
package dev.millrace.worker;

import dev.millrace.Backoff;
import dev.millrace.CallOptions;
import dev.millrace.error.CallInterruptedException;
import dev.millrace.error.EngineException;
import dev.millrace.internal.Clock;
import dev.millrace.job.Job;
import dev.millrace.job.JobCalls;
import dev.millrace.job.Lease;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Heartbeats come every third of what is left of the lease. At {@code endsAt − margin} without an
 * extension it counts as lost: the handler has to stop before the lease may end.
 */
final class LeaseWatch {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");
  private static final int HEARTBEATS_PER_LEASE = 3;

  /**
   * A lease has two ends here, because the moment the engine granted it is known only to lie
   * between question and answer.
   *
   * @param endsAt counted from the question: before it the lease surely holds
   * @param goneAt counted from the answer: after it the lease surely ended
   */
  record LeaseSpan(double endsAt, double goneAt) {
    static LeaseSpan between(double askedAt, double answeredAt, int leaseSeconds) {
      double leaseMs = leaseSeconds * 1000.0;
      return new LeaseSpan(askedAt + leaseMs, answeredAt + leaseMs);
    }

    /** Of a job that came without a token: there is nothing to extend. */
    static final LeaseSpan ENDLESS =
        new LeaseSpan(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);

    /**
     * Of a job that came by itself. How long it was on its way shows only in the end of its lease
     * by the engine's clock; where the clocks disagree the engine is asked before the handler
     * starts.
     */
    static LeaseSpan pushed(Job job, double receivedAt, int leaseSeconds) {
      double leaseMs = leaseSeconds * 1000.0;
      double toldMs =
          job.lockExpiresAt() == null
              ? leaseMs
              : Duration.between(Instant.now(), job.lockExpiresAt()).toMillis();
      return new LeaseSpan(receivedAt + Math.min(leaseMs, toldMs), receivedAt + leaseMs);
    }
  }

  /** Called once, on a thread that may block; {@code refused}: the engine said so. */
  interface Lost {
    void lost(String why, boolean refused);
  }

  private final Job job;
  private final RunnerSettings settings;
  private final Executor executor;
  private final Lost lost;
  private final Clock clock;
  private LeaseSpan span;
  private int failures;
  private boolean over;
  private Clock.Timer beat = () -> {};
  private Clock.Timer guard = () -> {};

  LeaseWatch(Job job, LeaseSpan span, RunnerSettings settings, Executor executor, Lost lost) {
    this.job = job;
    this.span = span;
    this.settings = settings;
    this.executor = executor;
    this.lost = lost;
    this.clock = settings.clock();
  }

  synchronized LeaseWatch start() {
    beatAfter((span.endsAt() - clock.now()) / HEARTBEATS_PER_LEASE);
    return this;
  }

  /** No more heartbeats; the lease is left to its report or to its end. */
  synchronized void release() {
    over = true;
    beat.cancel();
    guard.cancel();
  }

  /** After this moment the lease is surely over. */
  synchronized double goneAt() {
    return span.goneAt();
  }

  private void beatAfter(double ms) {
    beat = clock.after(Math.max(0, ms), () -> executor.execute(this::sendBeat));
  }

  private void sendBeat() {
    double askedAt = clock.now();
    double left = armGuard();
    if (left <= 0) return;
    try {
      sendHeartbeat(job, settings, left);
      extend(LeaseSpan.between(askedAt, clock.now(), settings.leaseSeconds()));
    } catch (Throwable failure) {
      afterFailure(failure);
    }
  }

  /** From the first heartbeat on a second timer stands behind it: an answer may hang. */
  private double armGuard() {
    synchronized (this) {
      if (over) return 0;
      guard.cancel();
      double left = leftMs();
      if (left > 0) {
        guard = clock.after(left, () -> executor.execute(this::giveUp));
        return left;
      }
    }
    giveUp();
    return 0;
  }

  private synchronized void extend(LeaseSpan extended) {
    if (over) return;
    guard.cancel();
    span = extended;
    failures = 0;
    beatAfter((span.endsAt() - clock.now()) / HEARTBEATS_PER_LEASE);
  }

  private void afterFailure(Throwable failure) {
    if (isLost(failure)) lose("the engine says the lease is lost", true);
    else if (failure instanceof CallInterruptedException) release();
    else tryAgain(failure);
  }

  private synchronized void tryAgain(Throwable failure) {
    if (over) return;
    failures++;
    LOG.log(Level.WARNING, "heartbeat of job {0} failed, trying again: {1}", job.id(), failure);
    beatAfter(Math.min(Backoff.before(failures).toNanos() / 1e6, leftMs()));
  }

  private void giveUp() {
    lose("the lease could not be extended in time", false);
  }

  private void lose(String why, boolean refused) {
    synchronized (this) {
      if (over) return;
      release();
    }
    lost.lost(why, refused);
  }

  /** Until the handler has to be told to stop. */
  private double leftMs() {
    return span.endsAt() - settings.marginMs() - clock.now();
  }

  static void sendHeartbeat(Job job, RunnerSettings settings, double timeoutMs) {
    once(settings, timeoutMs)
        .heartbeat(Lease.of(job, settings.workerId()), settings.leaseSeconds());
  }

  static Map<String, Object> fetchVariables(Job job, RunnerSettings settings, double timeoutMs) {
    return once(settings, timeoutMs)
        .fetchVariables(Lease.of(job, settings.workerId()), settings.leaseSeconds());
  }

  private static JobCalls once(RunnerSettings settings, double timeoutMs) {
    Duration timeout = Duration.ofNanos((long) (timeoutMs * 1e6));
    return settings.calls().with(CallOptions.NONE.withTimeout(timeout).withMaxAttempts(1));
  }

  /** 404: the job is gone altogether. */
  static boolean isLost(Throwable failure) {
    return failure instanceof EngineException refused
        && (refused.status() == 409 || refused.status() == 404);
  }
}
