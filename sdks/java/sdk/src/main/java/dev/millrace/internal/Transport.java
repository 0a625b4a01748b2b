// How calls reach an engine: over REST or over gRPC.
package dev.millrace.internal;

import dev.millrace.job.JobStream;
import java.util.List;

/** Answers are in the JSON of the REST contract, whichever the way. */
public interface Transport extends AutoCloseable {
  /** Whether this way has the operation at all. */
  boolean has(Operation operation);

  /** Null where the answer has no content. Throws MillraceException. */
  Object call(Call call);

  /** One for each of its addresses, over the same connections. */
  default List<Transport> each() {
    return List.of(this);
  }

  /** Whether jobs can be pushed this way. */
  boolean hasStream();

  /** Opens a stream of jobs; where this way has none it throws UnsupportedOperationException. */
  JobStream stream(JobStream.Opening opening, JobStream.Listener listener);

  @Override
  void close();
}
