// A stream by which the engine pushes jobs to a worker.
package dev.millrace.job;

import java.util.Collection;
import java.util.List;

/** Open until it is closed or breaks; over gRPC only. */
public interface JobStream extends AutoCloseable {
  /** More jobs that the worker can take; adds to the credit it has. */
  void credit(int more);

  /** Handlers of these jobs have started: they keep their lease when the stream breaks. */
  void started(Collection<Job> jobs);

  /** Jobs that were not said to be started are ready again at once. */
  @Override
  void close();

  /** What a stream is opened with. */
  record Opening(String workerId, List<String> jobTypes, int leaseSeconds, int credit) {}

  /** What a stream tells; one call at a time. */
  interface Listener {
    /** Each job takes one off the credit. */
    void jobs(List<Job> jobs);

    /** No more jobs come; null when the engine closed it in good order. */
    void ended(Throwable failure);
  }
}
