// Something that is run around every handler.
package dev.millrace.worker;

import dev.millrace.job.Job;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Calls {@code run} once and gives back what that gives. For tracers, which put a span around it.
 */
@FunctionalInterface
public interface AroundJob {
  /** What it throws is the job's failure, as without it. */
  Map<String, ?> run(Job job, Callable<Map<String, ?>> run) throws Exception;
}
