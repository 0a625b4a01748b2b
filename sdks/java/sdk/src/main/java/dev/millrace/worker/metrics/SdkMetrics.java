// The metrics of a worker, under the names every SDK uses.
package dev.millrace.worker.metrics;

import java.util.function.Consumer;

/** Counts and times; {@link #text()} is Prometheus' text format. */
public final class SdkMetrics {
  private static final double[] POLL_BOUNDS = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 20, 30
  };
  private static final double[] HANDLER_BOUNDS = {
    0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300
  };

  private final MetricsListener listener;
  private final Histogram poll =
      new Histogram(
          "workflow_sdk_poll_latency_seconds",
          "Time from asking for jobs to the answer, the engine's waiting included.",
          POLL_BOUNDS);
  private final Counter conflicts =
      new Counter(
          "workflow_sdk_lock_conflicts_total",
          "Reports and heartbeats refused because the lease was lost.");
  private final Histogram handler =
      new Histogram("workflow_sdk_handler_latency_seconds", "Time handlers ran.", HANDLER_BOUNDS);
  private final Counter retries =
      new Counter("workflow_sdk_retries_total", "Failures reported as retryable.");
  private final Counter completed =
      new Counter("workflow_sdk_jobs_completed_total", "Jobs whose report the engine accepted.");

  public SdkMetrics() {
    this(new MetricsListener() {});
  }

  public SdkMetrics(MetricsListener listener) {
    this.listener = listener;
    conflicts.add("", 0);
  }

  public void polled(double seconds, int jobs) {
    poll.observe("", seconds);
    tell(l -> l.polled(seconds, jobs));
  }

  public void lockConflict(String jobType, String jobId) {
    conflicts.add("", 1);
    tell(l -> l.lockConflict(jobType, jobId));
  }

  public void handled(String jobType, double seconds) {
    handler.observe(Labels.of("job_type", jobType), seconds);
    tell(l -> l.handled(jobType, seconds));
  }

  public void retried(String jobType) {
    retries.add(Labels.of("job_type", jobType), 1);
    tell(l -> l.retried(jobType));
  }

  public void completed(String jobType, boolean success) {
    String outcome = success ? "success" : "failure";
    completed.add(Labels.of("job_type", jobType, "outcome", outcome), 1);
    tell(l -> l.completed(jobType, success));
  }

  /** Measuring must not harm a job. */
  private void tell(Consumer<MetricsListener> event) {
    try {
      event.accept(listener);
    } catch (Throwable dropped) {
      System.getLogger("dev.millrace.worker")
          .log(System.Logger.Level.DEBUG, "a metrics listener failed", dropped);
    }
  }

  /** Prometheus' text format. */
  public String text() {
    return poll.text() + conflicts.text() + handler.text() + retries.text() + completed.text();
  }
}
