// Reports and a question for more jobs, in one round trip.
package dev.millrace.job;

import dev.millrace.JsonObject;
import dev.millrace.internal.Call;
import dev.millrace.internal.Fields;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Up to 500 reports and a poll. Immutable: every method gives a new one. */
public final class Exchange implements JsonObject {
  private final Fields fields;
  private final PollRequest poll;

  private Exchange(Fields fields, PollRequest poll) {
    this.fields = fields;
    this.poll = poll;
  }

  public static Exchange of(String workerId) {
    return new Exchange(Fields.NONE.with("workerId", workerId), null);
  }

  /** {@code variables} may be null. */
  public Exchange completed(String jobId, String leaseToken, Map<String, ?> variables) {
    Object report =
        Call.arguments("jobId", jobId, "leaseToken", leaseToken, "variables", variables);
    return new Exchange(fields.adding("completed", report), poll);
  }

  public Exchange failed(String jobId, String leaseToken, Failure failure) {
    Object report =
        Call.arguments(
            "jobId", jobId,
            "leaseToken", leaseToken,
            "retryable", failure.retryable(),
            "errorMessage", failure.errorMessage(),
            "retryAfter", failure.retryAfterSeconds(),
            "downstreamStatus", failure.downstreamStatus(),
            "stack", failure.stack());
    return new Exchange(fields.adding("failed", report), poll);
  }

  /** Asks for more as well. With reports the answer never waits. */
  public Exchange poll(PollRequest poll) {
    return new Exchange(fields.with("poll", poll), poll);
  }

  /** How long the engine may hold the answer. */
  public Duration longestWait() {
    boolean reports = fields.get("completed") != null || fields.get("failed") != null;
    return poll == null || reports ? Duration.ZERO : poll.longestWait();
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }

  /** What became of one report. */
  public enum Outcome implements dev.millrace.internal.WireName {
    ACCEPTED,
    /** Another claim or report came first: nothing changed. */
    STALE,
    /** There is no such job. */
    UNKNOWN;

    @Override
    public String wire() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** What became of the report on a job. */
  public record Result(String jobId, Outcome outcome) {}

  /**
   * The answer.
   *
   * @param results in the order of the reports, completed ones first
   * @param jobs perhaps none
   */
  public record Answer(List<Result> results, List<Job> jobs) {}
}
