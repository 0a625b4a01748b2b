// Writes a value as JSON text.
package dev.millrace.internal;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;

final class JsonWriter {
  private final StringBuilder out = new StringBuilder();

  static String write(Object value) {
    JsonWriter writer = new JsonWriter();
    writer.value(Records.write(value));
    return writer.out.toString();
  }

  /** What it is given is not nested in itself: it was copied. */
  private void value(Object value) {
    if (value == null) out.append("null");
    else if (value instanceof String text) string(text);
    else if (value instanceof Boolean) out.append(value);
    else if (value instanceof Number number) number(number);
    else if (value instanceof Map<?, ?> map) object(map);
    else if (value instanceof Iterable<?> items) array(items);
    else throw new IllegalArgumentException("a value of " + value.getClass() + " is not JSON");
  }

  private void object(Map<?, ?> map) {
    char separator = '{';
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(separator);
      string(String.valueOf(entry.getKey()));
      out.append(':');
      value(entry.getValue());
      separator = ',';
    }
    out.append(separator == '{' ? "{}" : "}");
  }

  private void array(Iterable<?> items) {
    char separator = '[';
    for (Object item : items) {
      out.append(separator);
      value(item);
      separator = ',';
    }
    out.append(separator == '[' ? "[]" : "]");
  }

  private void number(Number number) {
    if (number instanceof BigDecimal || number instanceof BigInteger) out.append(number);
    else if (number instanceof Double || number instanceof Float) decimal(number.doubleValue());
    else out.append(number.longValue());
  }

  private void decimal(double number) {
    if (!Double.isFinite(number)) throw new IllegalArgumentException(number + " is not JSON");
    boolean whole = number == Math.rint(number) && Math.abs(number) < 1L << 53;
    if (whole) out.append((long) number);
    else out.append(number);
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) character(text, i);
    out.append('"');
  }

  private void character(String text, int i) {
    char c = text.charAt(i);
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (c < ' ' || isLoneSurrogate(text, i)) out.append(String.format("\\u%04x", (int) c));
        else out.append(c);
      }
    }
  }

  /** Half of a pair has no UTF-8; as an escape it arrives as it is. */
  private static boolean isLoneSurrogate(String text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c))
      return i + 1 >= text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }
}
