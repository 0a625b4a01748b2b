// The routes of the queue speak snake_case: names of fields are turned, what callers put in is not.
package dev.millrace.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

public final class SnakeCase {
  /** What these hold is the caller's own. */
  private static final Set<String> OWN = Set.of("payload", "result");

  /** Which the queue's routes have in camelCase all the same. */
  private static final Set<String> CAMEL = Set.of("dryRun");

  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");
  private static final Pattern UNDERSCORE = Pattern.compile("_([a-z])");

  private SnakeCase() {}

  @SuppressWarnings("unchecked")
  public static Map<String, Object> toSnake(Map<String, Object> value) {
    return (Map<String, Object>) rename(value, SnakeCase::snake);
  }

  public static Object toCamel(Object value) {
    return rename(value, SnakeCase::camel);
  }

  private static String snake(String name) {
    if (CAMEL.contains(name)) return name;
    return CAPITAL.matcher(name).replaceAll(m -> "_" + m.group().toLowerCase(Locale.ROOT));
  }

  private static String camel(String name) {
    return UNDERSCORE.matcher(name).replaceAll(m -> m.group(1).toUpperCase(Locale.ROOT));
  }

  private static Object rename(Object value, UnaryOperator<String> turn) {
    if (value instanceof List<?> items) {
      List<Object> turned = new ArrayList<>();
      for (Object item : items) turned.add(rename(item, turn));
      return turned;
    }
    if (!(value instanceof Map<?, ?> map)) return value;
    Map<String, Object> turned = new LinkedHashMap<>();
    map.forEach(
        (name, inner) ->
            turned.put(
                turn.apply((String) name), OWN.contains(name) ? inner : rename(inner, turn)));
    return turned;
  }
}
