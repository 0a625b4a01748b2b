// One run of a handler: under its lease and its time limit, to one report.
package dev.millrace.worker;

import dev.millrace.TraceContext;
import dev.millrace.internal.Clock;
import dev.millrace.job.Job;
import dev.millrace.worker.LeaseWatch.LeaseSpan;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** Ends once: when the handler does, or when its time is over and it is not waited for. */
final class JobRun {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  /** The engine sweeps up an ended lease at the latest after this time. */
  private static final double SWEEP_MS = 5_000;

  /** {@code refused}: the engine has said that the job is no longer this worker's. */
  interface Ended {
    void ended(Report report, boolean refused);
  }

  private final Workbench.Claim claim;
  private final Job job;
  private final CancellationToken token;
  private final RunnerSettings settings;
  private final Ended ended;
  private final AtomicBoolean over = new AtomicBoolean();
  private LeaseWatch lease;
  private volatile boolean refused;

  JobRun(Workbench.Claim claim, CancellationToken token, RunnerSettings settings, Ended ended) {
    this.claim = claim;
    this.job = claim.job();
    this.token = token;
    this.settings = settings;
    this.ended = ended;
  }

  /** Whatever happens on the way, it ends: a place that is never free again helps no job. */
  void run(LeaseSpan span, Executor executor) {
    lease = new LeaseWatch(job, span, settings, executor, this::leaseLost);
    Outcome outcome = null;
    try {
      lease.start();
      outcome = executeWithin(startLimit(executor));
    } catch (Throwable fault) {
      outcome = thrown(fault);
    } finally {
      end(outcome);
    }
  }

  private Outcome executeWithin(Clock.Timer limit) {
    double startedAt = settings.clock().now();
    Outcome outcome = execute();
    limit.cancel();
    settings.metrics().handled(job.jobType(), (settings.clock().now() - startedAt) / 1000);
    return outcome;
  }

  private Clock.Timer startLimit(Executor executor) {
    if (job.timeoutSeconds() == null) return () -> {};
    double ms = job.timeoutSeconds() * 1000;
    return settings.clock().after(ms, () -> executor.execute(this::timedOut));
  }

  private void timedOut() {
    token.cancel(CancellationToken.Reason.TIMEOUT);
    end(Outcome.timedOut(job.timeoutSeconds()));
  }

  private void leaseLost(String why, boolean refused) {
    this.refused = refused;
    if (refused) settings.metrics().lockConflict(job.jobType(), job.id());
    LOG.log(
        Level.WARNING,
        "job {0} ({1}): {2}; its handler is told to stop",
        job.id(),
        job.jobType(),
        why);
    token.cancel(CancellationToken.Reason.LEASE_LOST);
  }

  /** Null where the handler gave up after it was told to stop: that is no failure of the job. */
  private Outcome execute() {
    Handler handler = settings.handlers().find(job.jobType()).orElse(null);
    if (handler == null) return Outcome.noHandler(job.jobType());
    token.attach();
    try {
      TraceContext.enter(job.traceContext().orElse(null));
      return Outcome.ofReturn(call(handler));
    } catch (Throwable thrown) {
      return thrown(thrown);
    } finally {
      TraceContext.enter(null);
      token.detach();
    }
  }

  private Map<String, ?> call(Handler handler) throws Exception {
    HandlerContext context = new HandlerContext(settings.workerId(), token);
    if (settings.around() == null) return handler.handle(job, context);
    return settings.around().run(job, () -> handler.handle(job, context));
  }

  private Outcome thrown(Throwable thrown) {
    boolean gaveUp = token.isCancelled();
    String what = gaveUp ? "stopped as told" : "failed";
    log(
        gaveUp ? Level.INFO : Level.WARNING,
        "the handler of job " + job.id() + " (" + job.jobType() + ") " + what,
        thrown);
    return gaveUp ? null : Outcome.ofThrown(thrown);
  }

  /** An exception that throws where it is printed must not cost the report. */
  private static void log(Level level, String message, Throwable thrown) {
    try {
      LOG.log(level, message, thrown);
    } catch (Throwable unprintable) {
      LOG.log(level, message + ": " + thrown.getClass().getName() + ", which cannot be printed");
    }
  }

  private void end(Outcome outcome) {
    if (!over.compareAndSet(false, true)) return;
    lease.release();
    ended.ended(outcome == null ? null : report(outcome), refused);
  }

  private Report report(Outcome outcome) {
    if (claim.lasting()) return new Report(claim, outcome, Double.POSITIVE_INFINITY, refused, 0);
    boolean lost = token.reason().filter(r -> r != CancellationToken.Reason.TIMEOUT).isPresent();
    return new Report(claim, outcome, lease.goneAt() + SWEEP_MS, lost, 0);
  }
}
