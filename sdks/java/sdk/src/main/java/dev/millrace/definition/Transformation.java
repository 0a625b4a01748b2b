// Sets variables.
package dev.millrace.definition;

import dev.millrace.internal.Fields;
import java.util.Map;

/** Sets variables. Immutable: every method gives a new one. */
public final class Transformation implements Step {
  private final Fields fields;

  Transformation(Fields fields) {
    this.fields = fields;
  }

  public Transformation name(String name) {
    return with("name", name);
  }

  public Transformation description(String description) {
    return with("description", description);
  }

  public Transformation next(String stepId) {
    return with("nextStep", stepId);
  }

  /** A literal, or "${expression}"; in the order in which they are added. */
  public Transformation set(String variable, Object value) {
    return new Transformation(fields.putting("transformations", variable, value));
  }

  private Transformation with(String name, Object value) {
    return new Transformation(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
