// Reads and writes JSON as maps, lists, strings, numbers, booleans and null.
package dev.millrace.internal;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small reader and writer, so that the SDK needs no JSON library. Objects keep the order of their
 * keys; whole numbers are {@code Long}, or {@code BigInteger} where that is too small, other
 * numbers {@code Double}.
 */
public final class Json {
  /** Of what is read: answers put some levels around what was sent. */
  private static final int DEEPEST = 1_000;

  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /** Throws {@link IllegalArgumentException} where the text is not JSON. */
  public static Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    if (json.peek() != -1) throw json.wrong("more after the end");
    return value;
  }

  /** What is not JSON, or more deeply nested than an engine takes, is refused likewise. */
  public static String write(Object value) {
    return JsonWriter.write(value);
  }

  private Object value() {
    int c = peek();
    return switch (c) {
      case '{' -> nested(this::object);
      case '[' -> nested(this::array);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Object nested(java.util.function.Supplier<Object> inner) {
    if (++depth > DEEPEST) throw wrong("nested too deeply");
    at++;
    Object value = inner.get();
    depth--;
    return value;
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    if (took('}')) return object;
    do {
      if (peek() != '"') throw wrong("a key expected");
      String key = string();
      expect(':');
      object.put(key, value());
    } while (took(','));
    expect('}');
    return object;
  }

  private List<Object> array() {
    List<Object> array = new ArrayList<>();
    if (took(']')) return array;
    do array.add(value());
    while (took(','));
    expect(']');
    return array;
  }

  private String string() {
    int start = ++at;
    int end = start;
    while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\\') end++;
    if (end < text.length() && text.charAt(end) == '"') {
      at = end + 1;
      return text.substring(start, end);
    }
    StringBuilder built = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) built.append(c == '\\' ? escaped() : c);
    return built.toString();
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> codeUnit();
      default -> throw wrong("an unknown escape");
    };
  }

  private char codeUnit() {
    if (at + 4 > text.length()) throw wrong("a short escape");
    int unit = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(text.charAt(at++), 16);
      if (digit < 0) throw wrong("an unknown escape");
      unit = unit * 16 + digit;
    }
    return (char) unit;
  }

  private Number number() {
    int start = at;
    boolean whole = true;
    while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0)
      whole &= ".eE".indexOf(text.charAt(at++)) < 0;
    String digits = text.substring(start, at);
    try {
      return whole ? wholeNumber(digits) : fraction(digits);
    } catch (NumberFormatException notANumber) {
      throw wrong("a value expected");
    }
  }

  private static Number wholeNumber(String digits) {
    if (digits.length() < 19) return Long.parseLong(digits);
    BigInteger large = new BigInteger(digits);
    if (large.bitLength() < Long.SIZE) return large.longValue();
    return large;
  }

  private static Number fraction(String digits) {
    double value = Double.parseDouble(digits);
    if (Double.isInfinite(value)) return new BigDecimal(digits);
    return value;
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) throw wrong("a value expected");
    at += word.length();
    return value;
  }

  private int peek() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    return at < text.length() ? text.charAt(at) : -1;
  }

  private char next() {
    if (at >= text.length()) throw wrong("the end of a string is missing");
    return text.charAt(at++);
  }

  private boolean took(char wanted) {
    if (peek() != wanted) return false;
    at++;
    return true;
  }

  private void expect(char wanted) {
    if (!took(wanted)) throw wrong("'" + wanted + "' expected");
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("not JSON at character " + at + ": " + what);
  }
}
