// A job or a step that was given up.
package dev.millrace.queue;

import dev.millrace.JsonObject;
import dev.millrace.Priority;
import dev.millrace.internal.Fields;
import dev.millrace.internal.OptionalList;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A job or a step that was given up.
 *
 * @param source job or step
 * @param reason exhausted, not-retryable or worker-lost
 * @param fingerprint like errors have the same
 * @param attempts how often it was handed out
 * @param instanceId null for a standalone job, as are definitionId and stepId
 * @param key what its run was started with; null where there is none or it may not be seen
 * @param businessKey of its instance; null where that has none or it may not be seen
 * @param linkingId the event that its run may wait for; null as the businessKey is
 * @param payload null in a list where it is large
 * @param history how each attempt ended; empty in lists
 */
public record DeadLetter(
    String id,
    String source,
    String jobId,
    String type,
    Priority priority,
    String reason,
    String error,
    String fingerprint,
    int attempts,
    int retryCount,
    Instant deadAt,
    String instanceId,
    String definitionId,
    String stepId,
    String key,
    String businessKey,
    String linkingId,
    Map<String, Object> payload,
    @OptionalList List<Attempt> history) {
  /** How one attempt ended. */
  public record Attempt(
      int attempt, String outcome, String error, String workerId, Instant endedAt) {}

  /** Those with like errors. */
  public record Group(
      String fingerprint,
      String error,
      long count,
      boolean countIsExact,
      Instant firstAt,
      Instant lastAt) {}

  /** What a replay made: the job of a standalone one is new. */
  public record Replayed(String replayed, String jobId, String newMessageId) {}

  /** Which dead letters are meant; joined by "and". Immutable. */
  public static final class Filter implements JsonObject {
    /** Every one. */
    public static final Filter ALL = new Filter(Fields.NONE);

    private final Fields fields;

    private Filter(Fields fields) {
      this.fields = fields;
    }

    public Filter type(String jobType) {
      return new Filter(fields.with("type", jobType));
    }

    public Filter priority(Priority priority) {
      return new Filter(fields.with("priority", priority));
    }

    public Filter definitionId(String definitionId) {
      return new Filter(fields.with("definitionId", definitionId));
    }

    /** With this fingerprint. */
    public Filter error(String fingerprint) {
      return new Filter(fields.with("error", fingerprint));
    }

    public Filter since(Instant time) {
      return new Filter(fields.with("since", time));
    }

    public Filter before(Instant time) {
      return new Filter(fields.with("before", time));
    }

    @Override
    public Map<String, Object> toMap() {
      return fields.toMap();
    }
  }
}
