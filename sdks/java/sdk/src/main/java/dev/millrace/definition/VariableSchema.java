// Which variables there must be, and of which types.
package dev.millrace.definition;

import dev.millrace.JsonObject;
import dev.millrace.internal.Fields;
import java.util.Map;

/** The subset of JSON Schema that the engine checks. Immutable: every method gives a new one. */
public final class VariableSchema implements JsonObject {
  /** Anything goes. */
  public static final VariableSchema ANY = new VariableSchema(Fields.NONE);

  private final Fields fields;

  private VariableSchema(Fields fields) {
    this.fields = fields;
  }

  /** {@code type}: string, number, integer or boolean. */
  public VariableSchema optional(String name, String type) {
    return new VariableSchema(fields.putting("properties", name, Map.of("type", type)));
  }

  public VariableSchema required(String name, String type) {
    return new VariableSchema(optional(name, type).fields.adding("required", name));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
