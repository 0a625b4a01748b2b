// Where branches part or meet.
package dev.millrace.definition;

import dev.millrace.internal.Fields;
import java.util.Map;

/** Where branches part or meet. Immutable: every method gives a new one. */
public final class Gateway implements Step {
  private final Fields fields;

  Gateway(Fields fields) {
    this.fields = fields;
  }

  public Gateway name(String name) {
    return with("name", name);
  }

  public Gateway description(String description) {
    return with("description", description);
  }

  private Gateway with(String name, Object value) {
    return new Gateway(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
