// A request for a new instance.
package dev.millrace.instance;

import dev.millrace.JsonObject;
import dev.millrace.Priority;
import dev.millrace.internal.Fields;
import java.util.Map;

/** What to start. Immutable: every method gives a new one. */
public final class StartInstance implements JsonObject {
  private final Fields fields;

  private StartInstance(Fields fields) {
    this.fields = fields;
  }

  /** The latest version of this definition, unless {@link #definitionVersion} names one. */
  public static StartInstance of(String definitionId) {
    return new StartInstance(Fields.NONE.with("definitionId", definitionId));
  }

  public StartInstance definitionVersion(Integer version) {
    return with("definitionVersion", version);
  }

  public StartInstance variables(Map<String, ?> variables) {
    return with("variables", variables);
  }

  /** One unfinished instance of a definition has it; a second start is a conflict. */
  public StartInstance businessKey(String businessKey) {
    return with("businessKey", businessKey);
  }

  public StartInstance priority(Priority priority) {
    return with("priority", priority);
  }

  /** An event that the run may have to wait for. */
  public StartInstance linkingId(String linkingId) {
    return with("linkingId", linkingId);
  }

  private StartInstance with(String name, Object value) {
    return new StartInstance(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
