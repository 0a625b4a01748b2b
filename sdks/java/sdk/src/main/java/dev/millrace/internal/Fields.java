// An immutable JSON object that requests and documents are built from.
package dev.millrace.internal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Every change gives a new object; the order of the keys is the order in which they came. */
public final class Fields {
  /** Without any. */
  public static final Fields NONE = new Fields(Map.of());

  private final Map<String, Object> values;

  private Fields(Map<String, Object> values) {
    this.values = Collections.unmodifiableMap(values);
  }

  public static Fields of(Map<String, ?> values) {
    return new Fields(new LinkedHashMap<>(values));
  }

  /** Null takes the field out. */
  public Fields with(String name, Object value) {
    return withWritten(name, Records.write(value));
  }

  private Fields withWritten(String name, Object value) {
    Map<String, Object> changed = new LinkedHashMap<>(values);
    if (value == null) changed.remove(name);
    else changed.put(name, value);
    return new Fields(changed);
  }

  /** Adds to the list under this name. */
  public Fields adding(String name, Object... more) {
    var items = new java.util.ArrayList<Object>();
    if (values.get(name) instanceof Iterable<?> there) there.forEach(items::add);
    for (Object item : more) items.add(Records.write(item));
    return withWritten(name, items);
  }

  /** Adds to the map under this name, at its end; null is a value there. */
  public Fields putting(String name, String key, Object value) {
    Map<String, Object> entries = new LinkedHashMap<>();
    if (values.get(name) instanceof Map<?, ?> there)
      there.forEach((k, v) -> entries.put(String.valueOf(k), v));
    entries.put(key, value);
    return with(name, entries);
  }

  public Object get(String name) {
    return values.get(name);
  }

  public Map<String, Object> toMap() {
    return values;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Fields fields && values.equals(fields.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return Json.write(values);
  }
}
