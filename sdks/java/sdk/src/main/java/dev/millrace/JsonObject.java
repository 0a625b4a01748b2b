// What travels as a JSON object without being a record.
package dev.millrace;

import java.util.Map;

/** A request or document that knows its own JSON. */
public interface JsonObject {
  /** In the words of the wire; fields that were not set are absent. */
  Map<String, Object> toMap();
}
