// Chooses the next step.
package dev.millrace.definition;

import dev.millrace.internal.Fields;
import java.util.Map;

/** Chooses the next step. Immutable: every method gives a new one. */
public final class Decision implements Step {
  private final Fields fields;

  Decision(Fields fields) {
    this.fields = fields;
  }

  public Decision name(String name) {
    return with("name", name);
  }

  public Decision description(String description) {
    return with("description", description);
  }

  /** The first condition that is true wins, in the order in which they are added. */
  public Decision when(String condition, String stepId) {
    return new Decision(fields.putting("conditionalNextSteps", condition, stepId));
  }

  private Decision with(String name, Object value) {
    return new Decision(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }
}
