// A call as HTTP has it: method, path with query, body.
package dev.millrace.internal.rest;

import dev.millrace.internal.Call;
import dev.millrace.internal.Json;
import dev.millrace.internal.Operation;
import dev.millrace.internal.SnakeCase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A call as HTTP has it.
 *
 * @param target path and query, encoded
 * @param body null where there is none
 */
record RestRequest(Operation operation, String target, String body) {
  private static final Pattern PART = Pattern.compile("\\{(\\w+)}");

  static RestRequest of(Call call) {
    Operation operation = call.operation();
    Map<String, Object> left = new LinkedHashMap<>(call.arguments());
    String path = fillPath(operation.path(), left);
    Object whole = operation.bodyName() == null ? null : left.remove(operation.bodyName());
    boolean rest = operation.hasQuery() || operation.bodyName() != null;
    if (operation.isSnakeCase()) left = SnakeCase.toSnake(left);
    if (rest) return new RestRequest(operation, path + query(left), bodyOf(operation, whole));
    return new RestRequest(operation, path, Json.write(left));
  }

  private static String bodyOf(Operation operation, Object whole) {
    if (operation.hasQuery()) return null;
    return Json.write(whole == null ? Map.of() : whole);
  }

  private static String fillPath(String template, Map<String, Object> arguments) {
    Matcher parts = PART.matcher(template);
    StringBuilder path = new StringBuilder();
    while (parts.find()) {
      Object id = arguments.remove(parts.group(1));
      parts.appendReplacement(path, Matcher.quoteReplacement(encodeId(id)));
    }
    return parts.appendTail(path).toString();
  }

  /** An empty id would address the collection, and dots would be resolved away on the road. */
  private static String encodeId(Object id) {
    String text = id == null ? "" : String.valueOf(id);
    if (text.isEmpty() || text.equals(".") || text.equals(".."))
      throw new IllegalArgumentException("\"" + text + "\" is not an id");
    return encode(text);
  }

  private static String query(Map<String, Object> arguments) {
    StringBuilder query = new StringBuilder();
    arguments.forEach(
        (name, value) ->
            query
                .append(query.isEmpty() ? '?' : '&')
                .append(encode(name))
                .append('=')
                .append(encode(String.valueOf(value))));
    return query.toString();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** For messages. */
  String line() {
    return operation.method() + " " + target.replaceAll("\\?.*", "");
  }
}
