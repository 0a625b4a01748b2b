// Work that is started by the clock.
package dev.millrace.queue;

import dev.millrace.JsonObject;
import dev.millrace.Priority;
import dev.millrace.internal.Fields;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Work that is started by the clock.
 *
 * @param definitionId null where it enqueues a job; then jobType is set
 * @param input null for a key that may not read what it starts
 * @param lastFiredAt null before the first run, as are lastWorkId, lastOutcome and lastDetail
 * @param nextAt null while it is off
 */
public record Schedule(
    String id,
    String cron,
    String timezone,
    String definitionId,
    String jobType,
    Map<String, Object> input,
    Priority priority,
    String overlap,
    String catchUp,
    boolean enabled,
    Instant lastFiredAt,
    String lastWorkId,
    String lastOutcome,
    String lastDetail,
    Instant nextAt,
    List<Instant> upcoming,
    Instant changedAt,
    String changedBy) {
  /**
   * What became of one tick.
   *
   * @param outcome started, skipped, queued or failed
   * @param workId the instance or the job; null where none was started
   */
  public record Run(
      Instant dueAt, Instant firedAt, String cause, String outcome, String workId, String detail) {}

  /** A schedule to make, or what to change of one. Immutable: every method gives a new one. */
  public static final class Request implements JsonObject {
    private final Fields fields;

    private Request(Fields fields) {
      this.fields = fields;
    }

    /** Five or six fields, or {@code @hourly}, {@code @daily} and their like. */
    public static Request cron(String cron) {
      return new Request(Fields.NONE.with("cron", cron));
    }

    /** For a change: what is not set stays as it is. */
    public static Request change() {
      return new Request(Fields.NONE);
    }

    public Request id(String id) {
      return with("id", id);
    }

    /** An IANA name, or UTC. */
    public Request timezone(String timezone) {
      return with("timezone", timezone);
    }

    /** Starts an instance of it. */
    public Request definitionId(String definitionId) {
      return with("definitionId", definitionId);
    }

    /** Enqueues a job of it. */
    public Request jobType(String jobType) {
      return with("jobType", jobType);
    }

    /** The variables of the instance, or the payload of the job. */
    public Request input(Map<String, ?> input) {
      return with("input", input);
    }

    public Request priority(Priority priority) {
      return with("priority", priority);
    }

    /** skip, queue or cancel. */
    public Request overlap(String overlap) {
      return with("overlap", overlap);
    }

    /** none, last or all. */
    public Request catchUp(String catchUp) {
      return with("catchUp", catchUp);
    }

    public Request enabled(boolean enabled) {
      return with("enabled", enabled);
    }

    private Request with(String name, Object value) {
      return new Request(fields.with(name, value));
    }

    @Override
    public Map<String, Object> toMap() {
      return fields.toMap();
    }
  }
}
