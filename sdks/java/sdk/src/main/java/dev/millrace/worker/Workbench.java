// Runs claimed jobs: each under its lease, from the claim to the report that leaves.
package dev.millrace.worker;

import dev.millrace.job.Exchange;
import dev.millrace.job.Job;
import dev.millrace.worker.LeaseWatch.LeaseSpan;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

final class Workbench {
  /**
   * A job that this worker has.
   *
   * @param lasting its report stays until the engine has answered, because no lease brings the job
   *     back
   * @param ended told once: true when the engine has the outcome or wants none from here, false
   *     when nothing was reported. Not told at all when the runner ends before
   */
  record Claim(
      Job job, LeaseSpan span, boolean lasting, boolean lacksVariables, Consumer<Boolean> ended) {}

  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  private final RunnerSettings settings;
  private final Executor executor;
  private final Consumer<Report> finished;
  private final Consumer<Throwable> broken;
  private final Set<CancellationToken> running = ConcurrentHashMap.newKeySet();

  /**
   * {@code finished} gets null where a job left nothing to report, {@code broken} the error where
   * no thread could be had for one.
   */
  Workbench(
      RunnerSettings settings,
      Executor executor,
      Consumer<Report> finished,
      Consumer<Throwable> broken) {
    this.settings = settings;
    this.executor = executor;
    this.finished = finished;
    this.broken = broken;
  }

  /** Runs each of the jobs on a thread of its own. */
  void take(List<Job> jobs, LeaseSpan span) {
    for (Job job : jobs) start(new Claim(job, span, false, false, confirmed -> {}));
  }

  /**
   * What is returned tells the handler to stop. Where it cannot be started, its place is free
   * again, and its lease brings it back.
   */
  CancellationToken start(Claim claim) {
    CancellationToken token = new CancellationToken();
    try {
      executor.execute(() -> run(claim, token));
    } catch (RejectedExecutionException over) {
      end(claim, token, null, false);
    } catch (Throwable refused) {
      end(claim, token, null, false);
      broken.accept(refused);
    }
    return token;
  }

  /** Tells every handler to stop. */
  void cancelAll() {
    for (CancellationToken token : running) token.cancel(CancellationToken.Reason.RUNNER_STOPPED);
  }

  private void run(Claim asked, CancellationToken token) {
    running.add(token);
    Claim claim = null;
    boolean refused = false;
    try {
      claim = sure(asked);
    } catch (RuntimeException failure) {
      refused = LeaseWatch.isLost(failure);
    } finally {
      if (claim == null) end(asked, token, null, refused);
    }
    JobRun.Ended ended = (report, lost) -> end(asked, token, report, lost);
    if (claim != null) new JobRun(claim, token, settings, ended).run(claim.span(), executor);
  }

  private void end(Claim claim, CancellationToken token, Report report, boolean refused) {
    running.remove(token);
    finished.accept(report);
    if (report == null) claim.ended().accept(refused);
  }

  /**
   * Asks before starting: where the answer was so long on its way that the lease may be over, and
   * where the variables are still with the engine.
   */
  private Claim sure(Claim claim) {
    double askedAt = settings.clock().now();
    if (!claim.lacksVariables() && claim.span().endsAt() - settings.marginMs() > askedAt)
      return claim;
    Job job = claim.job();
    try {
      Job whole = ask(claim, settings.leaseSeconds() * 1000.0 - settings.marginMs());
      double answeredAt = settings.clock().now();
      LeaseSpan span = LeaseSpan.between(askedAt, answeredAt, settings.leaseSeconds());
      return new Claim(whole, span, claim.lasting(), false, claim.ended());
    } catch (RuntimeException failure) {
      if (LeaseWatch.isLost(failure)) settings.metrics().lockConflict(job.jobType(), job.id());
      LOG.log(Level.WARNING, "job {0} was not started: {1}", job.id(), failure);
      throw failure;
    }
  }

  private Job ask(Claim claim, double patienceMs) {
    Job job = claim.job();
    if (claim.lacksVariables())
      return job.withVariables(LeaseWatch.fetchVariables(job, settings, patienceMs));
    LeaseWatch.sendHeartbeat(job, settings, patienceMs);
    return job;
  }

  /** Counts what became of a report, and tells it; null where it was dropped. */
  void settled(Report report, Exchange.Outcome verdict) {
    report.claim().ended().accept(true);
    String jobType = report.job().jobType();
    Outcome outcome = report.outcome();
    if (verdict == Exchange.Outcome.ACCEPTED) {
      settings.metrics().completed(jobType, outcome.completed());
      if (!outcome.completed() && outcome.failure().retryable())
        settings.metrics().retried(jobType);
      return;
    }
    if (verdict == Exchange.Outcome.STALE)
      settings.metrics().lockConflict(jobType, report.job().id());
    LOG.log(
        Level.WARNING,
        "the result of job {0} ({1}) did not count: {2}",
        report.job().id(),
        jobType,
        verdict == null ? "DROPPED" : verdict);
  }
}
