// A workflow definition, built in code or read from JSON.
package dev.millrace.definition;

import dev.millrace.JsonObject;
import dev.millrace.Priority;
import dev.millrace.internal.Fields;
import dev.millrace.internal.Json;
import java.time.Duration;
import java.util.Map;

/** A workflow definition; the first step is the entry. Immutable: every method gives a new one. */
public final class Definition implements JsonObject {
  private final Fields fields;

  private Definition(Fields fields) {
    this.fields = fields;
  }

  public static Definition of(String id, String name) {
    return new Definition(Fields.NONE.with("id", id).with("name", name));
  }

  public static Definition fromMap(Map<String, ?> definition) {
    return new Definition(Fields.of(definition));
  }

  /** The text of a definition file. */
  @SuppressWarnings("unchecked")
  public static Definition fromJson(String json) {
    if (Json.read(json) instanceof Map<?, ?> map) return fromMap((Map<String, Object>) map);
    throw new IllegalArgumentException("a definition is a JSON object");
  }

  /** Adds steps at the end. */
  public Definition steps(Step... steps) {
    return new Definition(fields.adding("steps", (Object[]) steps));
  }

  public Definition description(String description) {
    return with("description", description);
  }

  /** Starts an instance of that definition when one of this completes. */
  public Definition nextWorkflow(String definitionId) {
    return with("autoStartNextWorkflow", true).with("nextWorkflowId", definitionId);
  }

  /** Kept by the engine and not read. */
  public Definition metadata(Map<String, ?> metadata) {
    return with("metadata", metadata);
  }

  /** What the variables of a start must fit. */
  public Definition inputSchema(VariableSchema schema) {
    return with("inputSchema", schema);
  }

  public Definition priority(Priority priority) {
    return with("priority", priority);
  }

  /** How long an instance may take in total. */
  public Definition deadline(Duration deadline) {
    return with("deadline", deadline);
  }

  /** How long a finished instance is kept. */
  public Definition retain(Duration retain) {
    return with("retain", retain);
  }

  /** Publishes what happens to an instance, as events of the type {@code workflow.events.<id>}. */
  public Definition events() {
    return with("events", true);
  }

  /** Runs the steps as a list, in their order; retried as {@code recover} says. */
  public Definition asStepList(Recover recover) {
    return with("execution", "steplist")
        .with("recover", recover.name().toLowerCase(java.util.Locale.ROOT));
  }

  /** How a step list is retried. */
  public enum Recover {
    /** At the step that failed. */
    RESUME,
    /** From the first step. */
    RESTART
  }

  public String id() {
    return (String) fields.get("id");
  }

  public String name() {
    return (String) fields.get("name");
  }

  /** Of a definition that the engine gave; else null. */
  public Integer version() {
    return fields.get("version") instanceof Number version ? version.intValue() : null;
  }

  private Definition with(String name, Object value) {
    return new Definition(fields.with(name, value));
  }

  @Override
  public Map<String, Object> toMap() {
    return fields.toMap();
  }

  public String toJson() {
    return Json.write(fields.toMap());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Definition definition && fields.equals(definition.fields);
  }

  @Override
  public int hashCode() {
    return fields.hashCode();
  }

  @Override
  public String toString() {
    return toJson();
  }
}
