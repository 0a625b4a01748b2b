// What runs a job.
package dev.millrace.worker;

import dev.millrace.job.Job;
import java.util.Map;

/**
 * Runs one job. It may run more than once for a job: key outside effects by {@link
 * Job#idempotencyKey()} or a business key.
 */
@FunctionalInterface
public interface Handler {
  /**
   * Returns the variables to set, or null. What it throws fails the job: {@link
   * NonRetryableException} and any {@link Error} for good, everything else with a retry.
   */
  Map<String, ?> handle(Job job, HandlerContext context) throws Exception;
}
