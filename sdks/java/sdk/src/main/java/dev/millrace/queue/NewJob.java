// A job for the queue.
package dev.millrace.queue;

import dev.millrace.JsonObject;
import dev.millrace.Priority;
import dev.millrace.internal.Fields;
import java.time.Duration;
import java.util.Map;

/** A job that stands alone. Immutable: every method gives a new one. */
public final class NewJob implements JsonObject {
  private final Fields fields;

  private NewJob(Fields fields) {
    this.fields = fields;
  }

  /** {@code type} says which workers take it. */
  public static NewJob of(String type, Map<String, ?> payload) {
    return new NewJob(Fields.NONE.with("type", type).with("payload", payload));
  }

  public NewJob priority(Priority priority) {
    return with("priority", priority);
  }

  /** One job per type and key; kept with the job. */
  public NewJob key(String key) {
    return with("key", key);
  }

  /** Not before this much time has passed. */
  public NewJob delay(Duration delay) {
    return with("delay", delay);
  }

  /** How long one attempt may run. */
  public NewJob timeout(Duration timeout) {
    return with("timeout", timeout);
  }

  public NewJob retries(Integer retries) {
    return with("retries", retries);
  }

  /** How the tries are spaced: jittered, minutes or immediate. */
  public NewJob retry(String spacing) {
    return with("retry", spacing);
  }

  /** Jobs take turns by it, such as a tenant's name. */
  public NewJob fairKey(String fairKey) {
    return with("fairKey", fairKey);
  }

  /** At most {@code max} jobs of this key at a time. */
  public NewJob limit(String key, int max) {
    return with("limit", Map.of("key", key, "max", max));
  }

  /** One job per type and key within a window; another is a conflict. */
  public NewJob unique(String key, Duration window) {
    return with("unique", Map.of("key", key, "for", window));
  }

  /** The system it calls, whose limits it keeps to. */
  public NewJob downstream(String downstream) {
    return with("downstream", downstream);
  }

  private NewJob with(String name, Object value) {
    return new NewJob(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
