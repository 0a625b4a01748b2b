// Is told each measurement, for those who measure elsewhere.
package dev.millrace.worker.metrics;

/** Called beside each measurement; keep it quick. What it throws is dropped. */
public interface MetricsListener {
  /** Jobs were asked for. */
  default void polled(double seconds, int jobs) {}

  /** A report or heartbeat was refused because the lease was lost. */
  default void lockConflict(String jobType, String jobId) {}

  /** A handler ran. */
  default void handled(String jobType, double seconds) {}

  /** A failure was reported as retryable. */
  default void retried(String jobType) {}

  /** The engine accepted a report. */
  default void completed(String jobType, boolean success) {}
}
