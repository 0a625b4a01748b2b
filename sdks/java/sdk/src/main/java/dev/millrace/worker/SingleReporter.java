// Sends each report by itself, until it is delivered or its lease is surely gone.
package dev.millrace.worker;

import dev.millrace.Backoff;
import dev.millrace.CallOptions;
import dev.millrace.error.EngineException;
import dev.millrace.error.MillraceException;
import dev.millrace.job.Exchange;
import dev.millrace.job.JobCalls;
import dev.millrace.job.Lease;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

final class SingleReporter implements Reporter {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  /** Malformed, too large, unsupported, contradicting: the report itself is wrong. */
  private static final Set<Integer> REFUSED = Set.of(400, 413, 415, 422);

  private final RunnerSettings settings;
  private final JobCalls calls;
  private final Executor executor;
  private final Report.Settled settled;
  private final Runnable changed;
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile boolean closed;

  SingleReporter(
      RunnerSettings settings, Executor executor, Report.Settled settled, Runnable changed) {
    this.settings = settings;
    this.calls = settings.calls().with(reportOptions(settings));
    this.executor = executor;
    this.settled = settled;
    this.changed = changed;
  }

  /** A report is sent again by those who hold it, not by the client. */
  static CallOptions reportOptions(RunnerSettings settings) {
    Duration timeout = Duration.ofMillis(Math.min(30_000, settings.leaseSeconds() * 1000L / 3));
    return CallOptions.NONE.withTimeout(timeout).withMaxAttempts(1);
  }

  static boolean isRefusal(RuntimeException failure) {
    return failure instanceof EngineException refused && REFUSED.contains(refused.status());
  }

  @Override
  public void add(Report report) {
    underWay.incrementAndGet();
    try {
      executor.execute(() -> deliver(report));
    } catch (Throwable refused) {
      underWay.decrementAndGet();
      throw refused;
    }
  }

  private void deliver(Report report) {
    try {
      Report left = report;
      while (left != null && !closed) left = sendOnce(left.tried());
    } finally {
      underWay.decrementAndGet();
      changed.run();
    }
  }

  /** What is still to be sent, or null. */
  private Report sendOnce(Report report) {
    try {
      send(report);
      settled.settled(report, Exchange.Outcome.ACCEPTED);
      return null;
    } catch (MillraceException failure) {
      return afterFailure(report, failure);
    } catch (Throwable fault) {
      return failInstead(report, fault, Outcome.unsendable(fault));
    }
  }

  private void send(Report report) {
    Lease lease = report.lease(settings.workerId());
    Outcome outcome = report.outcome();
    if (outcome.completed()) calls.complete(lease, outcome.variables());
    else calls.fail(lease, outcome.failure());
  }

  private Report afterFailure(Report report, RuntimeException failure) {
    if (isRefusal(failure))
      return failInstead(report, failure, Outcome.refusedByEngine(failure.getMessage()));
    int status = failure instanceof EngineException refused ? refused.status() : 0;
    if (status == 409 || status == 404) {
      settled.settled(report, status == 409 ? Exchange.Outcome.STALE : Exchange.Outcome.UNKNOWN);
      return null;
    }
    return tryAgain(report, failure);
  }

  /**
   * Variables that are not taken fail the job; dropping them would run it again, to the same end.
   */
  private Report failInstead(Report report, Throwable fault, Outcome failure) {
    LOG.log(Level.ERROR, "the report of job {0} was refused: {1}", report.job().id(), fault);
    if (report.outcome().completed()) return report.with(failure);
    settled.settled(report, null);
    return null;
  }

  private Report tryAgain(Report report, RuntimeException failure) {
    if (closed) return null;
    if (report.isHopeless(settings.clock().now())) {
      settled.settled(report, null);
      return null;
    }
    LOG.log(
        Level.WARNING,
        "the report of job {0} was not delivered, trying again: {1}",
        report.job().id(),
        failure);
    pause(failure, report.tries());
    return report;
  }

  private void pause(RuntimeException failure, int tries) {
    try {
      settings.clock().sleep(pauseMs(failure, tries));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  static double pauseMs(RuntimeException failure, int tries) {
    Duration asked =
        failure instanceof EngineException refused
            ? refused.retryAfter().orElse(Duration.ZERO)
            : Duration.ZERO;
    return Math.max(asked.toMillis(), Backoff.before(tries).toNanos() / 1e6);
  }

  @Override
  public int waiting() {
    return 0;
  }

  @Override
  public boolean isIdle() {
    return underWay.get() == 0;
  }

  @Override
  public void close() {
    closed = true;
  }
}
