// What a worker needs of the engine.
package dev.millrace.job;

import dev.millrace.CallOptions;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The calls of a worker, whichever way they travel. */
public interface JobCalls {
  /**
   * Claims jobs. Not repeated by itself: a lost answer may have claimed some, which come back when
   * their lease ends.
   */
  List<Job> poll(String workerId, PollRequest request);

  /** {@code variables} are merged into the instance's; null sets none. */
  void complete(Lease lease, Map<String, ?> variables);

  void fail(Lease lease, Failure failure);

  /**
   * Extends the lease, by the engine's default where it is 0; its new end by the engine's clock.
   */
  Instant heartbeat(Lease lease, int leaseSeconds);

  /**
   * Extends the lease as a heartbeat does, and brings the job's variables: of a dispatch through
   * Kafka whose message had no room for them.
   */
  Map<String, Object> fetchVariables(Lease lease, int leaseSeconds);

  /** Reports and asks for more in one round trip. */
  Exchange.Answer exchange(Exchange exchange);

  /** Whether {@link #stream} works: over gRPC. */
  boolean hasStream();

  /** Over gRPC: jobs come as they are made. */
  JobStream stream(JobStream.Opening opening, JobStream.Listener listener);

  /** The same calls with other options. */
  JobCalls with(CallOptions options);
}
