// The calls of a worker: poll, complete, fail, heartbeat, exchange, stream.
package dev.millrace;

import static dev.millrace.internal.Call.arguments;

import dev.millrace.internal.Caller;
import dev.millrace.internal.Operation;
import dev.millrace.internal.Records;
import dev.millrace.job.Exchange;
import dev.millrace.job.Failure;
import dev.millrace.job.Job;
import dev.millrace.job.JobCalls;
import dev.millrace.job.JobStream;
import dev.millrace.job.Lease;
import dev.millrace.job.PollRequest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@link dev.millrace.worker.Runner} uses; for those who write their own. */
public final class JobClient implements JobCalls {
  private final Caller caller;

  JobClient(Caller caller) {
    this.caller = caller;
  }

  @Override
  public JobClient with(CallOptions options) {
    return new JobClient(caller.with(options));
  }

  @Override
  public List<Job> poll(String workerId, PollRequest request) {
    Map<String, Object> asked = new LinkedHashMap<>(arguments("workerId", workerId));
    asked.putAll(request.toMap());
    Object answer = caller.call(Operation.POLL, asked, request.longestWait());
    return caller.read(Operation.POLL, answer, a -> readJobs(a).jobs());
  }

  private record Jobs(List<Job> jobs) {}

  private static Jobs readJobs(Object answer) {
    return Records.read(Jobs.class, answer);
  }

  @Override
  public void complete(Lease lease, Map<String, ?> variables) {
    Map<String, Object> asked = signed(lease);
    if (variables != null) asked.putAll(arguments("variables", variables));
    caller.call(Operation.COMPLETE, asked);
  }

  @Override
  public void fail(Lease lease, Failure failure) {
    Map<String, Object> asked = signed(lease);
    asked.putAll(
        arguments(
            "retryable", failure.retryable(),
            "errorMessage", failure.errorMessage(),
            "retryAfter", failure.retryAfterSeconds(),
            "downstreamStatus", failure.downstreamStatus(),
            "stack", failure.stack()));
    caller.call(Operation.FAIL, asked);
  }

  @Override
  public Instant heartbeat(Lease lease, int leaseSeconds) {
    Map<String, Object> asked = signed(lease);
    if (leaseSeconds > 0) asked.put("leaseSeconds", leaseSeconds);
    return caller.get(Extended.class, Operation.HEARTBEAT, asked).lockExpiresAt();
  }

  private record Extended(Instant lockExpiresAt) {}

  @Override
  public Map<String, Object> fetchVariables(Lease lease, int leaseSeconds) {
    Map<String, Object> asked = signed(lease);
    if (leaseSeconds > 0) asked.put("leaseSeconds", leaseSeconds);
    asked.put("withVariables", true);
    return caller.get(Fetched.class, Operation.HEARTBEAT, asked).variables();
  }

  private record Fetched(Map<String, Object> variables) {
    Fetched {
      if (variables == null)
        throw new IllegalStateException(
            "the engine brings no variables with a heartbeat: it is older than this SDK");
    }
  }

  @Override
  public Exchange.Answer exchange(Exchange exchange) {
    Object answer = caller.call(Operation.EXCHANGE, exchange.toMap(), exchange.longestWait());
    return caller.read(Operation.EXCHANGE, answer, a -> Records.read(Exchange.Answer.class, a));
  }

  @Override
  public boolean hasStream() {
    return caller.hasStream();
  }

  @Override
  public JobStream stream(JobStream.Opening opening, JobStream.Listener listener) {
    return caller.stream(opening, listener);
  }

  private static Map<String, Object> signed(Lease lease) {
    if (lease.workerId() == null || lease.workerId().isBlank())
      throw new IllegalArgumentException("a workerId is needed");
    return arguments(
        "jobId", lease.jobId(), "workerId", lease.workerId(), "leaseToken", lease.leaseToken());
  }
}
