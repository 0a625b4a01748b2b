// Completes the instance.
package dev.millrace.definition;

import dev.millrace.internal.Fields;
import java.util.Map;

/** Completes the instance. Immutable: every method gives a new one. */
public final class End implements Step {
  private final Fields fields;

  End(Fields fields) {
    this.fields = fields;
  }

  public End name(String name) {
    return with("name", name);
  }

  public End description(String description) {
    return with("description", description);
  }

  private End with(String name, Object value) {
    return new End(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
