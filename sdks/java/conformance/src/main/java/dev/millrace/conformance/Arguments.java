// The arguments of a command.
package dev.millrace.conformance;

import dev.millrace.CallOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Typed access to a JSON object; what is absent is null. */
@SuppressWarnings("unchecked")
record Arguments(Map<String, Object> values) {
  Arguments(Object json) {
    this(json == null ? Map.of() : (Map<String, Object>) json);
  }

  String text(String name) {
    return (String) values.get(name);
  }

  Integer number(String name) {
    return values.get(name) instanceof Number number ? number.intValue() : null;
  }

  int number(String name, int otherwise) {
    Integer given = number(name);
    return given == null ? otherwise : given;
  }

  boolean flag(String name) {
    return Boolean.TRUE.equals(values.get(name));
  }

  Map<String, Object> map(String name) {
    return (Map<String, Object>) values.get(name);
  }

  List<String> texts(String name) {
    return (List<String>) values.getOrDefault(name, List.of());
  }

  List<Arguments> list(String name) {
    List<Object> items = (List<Object>) values.getOrDefault(name, List.of());
    return items.stream().map(Arguments::new).toList();
  }

  Duration seconds(String name) {
    return values.get(name) instanceof Number seconds
        ? Duration.ofMillis((long) (seconds.doubleValue() * 1000))
        : null;
  }

  <E extends Enum<E>> E constant(String name, Class<E> type) {
    String word = text(name);
    return word == null ? null : Enum.valueOf(type, word.toUpperCase(java.util.Locale.ROOT));
  }

  CallOptions options() {
    return CallOptions.NONE.withIdempotencyKey(text("idempotencyKey"));
  }
}
