// A question for jobs.
package dev.millrace.job;

import dev.millrace.JsonObject;
import dev.millrace.internal.Fields;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;

/** Which jobs, how many, for how long. Immutable: every method gives a new one. */
public final class PollRequest implements JsonObject {
  private final Fields fields;

  private PollRequest(Fields fields) {
    this.fields = fields;
  }

  /** Jobs of these types. */
  public static PollRequest of(Collection<String> jobTypes) {
    return new PollRequest(Fields.NONE.with("jobTypes", jobTypes));
  }

  public static PollRequest of(String... jobTypes) {
    return of(java.util.List.of(jobTypes));
  }

  /** 1 to 100, 10 unless set. */
  public PollRequest maxJobs(int maxJobs) {
    return new PollRequest(fields.with("maxJobs", maxJobs));
  }

  /** 5 to 3600, 30 unless set. */
  public PollRequest leaseSeconds(int leaseSeconds) {
    return new PollRequest(fields.with("leaseSeconds", leaseSeconds));
  }

  /** How long the answer may wait for a job: 0 to 30, 0 unless set. */
  public PollRequest waitSeconds(int waitSeconds) {
    return new PollRequest(fields.with("waitSeconds", waitSeconds));
  }

  /** How long the engine may hold the answer. */
  public Duration longestWait() {
    return fields.get("waitSeconds") instanceof Number seconds
        ? Duration.ofSeconds(seconds.longValue())
        : Duration.ZERO;
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
