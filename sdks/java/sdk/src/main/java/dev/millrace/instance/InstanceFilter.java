// Which instances a list or a bulk operation means.
package dev.millrace.instance;

import dev.millrace.JsonObject;
import dev.millrace.internal.Fields;
import java.time.Instant;
import java.util.Map;

/** Filters are joined by "and". Immutable: every method gives a new one. */
public final class InstanceFilter implements JsonObject {
  /** Every instance. */
  public static final InstanceFilter ALL = new InstanceFilter(Fields.NONE);

  private final Fields fields;

  private InstanceFilter(Fields fields) {
    this.fields = fields;
  }

  public InstanceFilter definitionId(String definitionId) {
    return with("definitionId", definitionId);
  }

  public InstanceFilter version(Integer version) {
    return with("version", version);
  }

  public InstanceFilter status(InstanceStatus status) {
    return with("status", status);
  }

  public InstanceFilter businessKey(String businessKey) {
    return with("businessKey", businessKey);
  }

  public InstanceFilter startedAfter(Instant time) {
    return with("startedAfter", time);
  }

  public InstanceFilter startedBefore(Instant time) {
    return with("startedBefore", time);
  }

  /** The fingerprint of an error. */
  public InstanceFilter failure(String fingerprint) {
    return with("failure", fingerprint);
  }

  private InstanceFilter with(String name, Object value) {
    return new InstanceFilter(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
