// Turns JSON objects into records and back, by the names of their components.
package dev.millrace.internal;

import dev.millrace.JsonObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is unknown to the record is ignored; what the object lacks is null, zero or empty. */
public final class Records {
  /** How many objects and arrays an engine takes within each other, the outermost counted. */
  private static final int DEEPEST = 32;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private Records() {}

  private record Shape(RecordComponent[] components, Constructor<?> constructor) {}

  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          RecordComponent[] components = type.getRecordComponents();
          Class<?>[] types =
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
          try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            for (RecordComponent component : components)
              component.getAccessor().setAccessible(true);
            return new Shape(components, constructor);
          } catch (NoSuchMethodException impossible) {
            throw new AssertionError(impossible);
          }
        }
      };

  /** Throws {@link IllegalArgumentException} where a value does not fit its component. */
  public static <R> R read(Class<R> type, Object json) {
    if (!(json instanceof Map<?, ?> object)) throw misfit(type, json);
    Shape shape = SHAPES.get(type);
    Object[] values = new Object[shape.components.length];
    for (int i = 0; i < values.length; i++) {
      RecordComponent component = shape.components[i];
      values[i] = convert(component.getGenericType(), object.get(fieldOf(component)));
    }
    try {
      return type.cast(shape.constructor.newInstance(values));
    } catch (ReflectiveOperationException failed) {
      throw new IllegalArgumentException("cannot make a " + type.getSimpleName(), failed);
    }
  }

  public static <R> List<R> readList(Class<R> type, Object json) {
    if (json == null) return List.of();
    if (!(json instanceof List<?> items)) throw misfit(type, json);
    List<R> read = new ArrayList<>(items.size());
    for (Object item : items) read.add(type.cast(convert(type, item)));
    // Not a copy that refuses null: a gauge has none where no process has looked.
    return Collections.unmodifiableList(read);
  }

  private static Object convert(Type type, Object value) {
    if (type instanceof ParameterizedType generic) return convertGeneric(generic, value);
    Class<?> plain = (Class<?>) type;
    if (value == null) return plain.isPrimitive() ? zero(plain) : null;
    if (plain.isRecord()) return read(plain, value);
    if (plain.isEnum()) return WireName.constant(plain, String.valueOf(value));
    return scalar(plain, value);
  }

  private static Object convertGeneric(ParameterizedType type, Object value) {
    if (type.getRawType() == List.class)
      return readList((Class<?>) type.getActualTypeArguments()[0], value);
    if (value != null && !(value instanceof Map)) throw misfit(type, value);
    return value;
  }

  private static Object scalar(Class<?> type, Object value) {
    if (type == Object.class) return value;
    if (type == boolean.class && value instanceof Boolean) return value;
    if (type == Instant.class && value instanceof String text) return Instant.parse(text);
    if (type == Duration.class && value instanceof String text) return Duration.parse(text);
    if (value instanceof Number number
        && (type.isPrimitive() || Number.class.isAssignableFrom(type))) return number(type, number);
    if (type.isInstance(value)) return value;
    throw misfit(type, value);
  }

  private static Object number(Class<?> type, Number value) {
    if (type == int.class || type == Integer.class) return value.intValue();
    if (type == long.class || type == Long.class) return value.longValue();
    return value.doubleValue();
  }

  private static Object zero(Class<?> type) {
    if (type == boolean.class) return false;
    return number(type, 0);
  }

  private static IllegalArgumentException misfit(Type type, Object value) {
    String got = value == null ? "null" : value.getClass().getSimpleName();
    return new IllegalArgumentException("expected " + type.getTypeName() + ", got " + got);
  }

  /**
   * Records, times, durations and enums as JSON has them; null components are left out. What is
   * nested more deeply than an engine takes, or in itself, is an {@link IllegalArgumentException}.
   */
  public static Object write(Object value) {
    return write(value, 1);
  }

  /** {@code level} is that of the value, should it be an object or an array. */
  private static Object write(Object value, int level) {
    if (value instanceof Record written) return writeRecord(written, checked(level));
    if (value instanceof JsonObject object) return write(object.toMap(), level);
    if (value instanceof Instant time) return TIME.format(time);
    if (value instanceof Duration duration) return duration.toString();
    if (value instanceof Enum<?> constant) return WireName.name(constant);
    if (value instanceof Integer || value instanceof Short || value instanceof Byte)
      return ((Number) value).longValue();
    if (value instanceof Map<?, ?> map) return writeMap(map, checked(level));
    if (value instanceof Iterable<?> items) return writeAll(items, checked(level));
    if (value instanceof Object[] items) return writeAll(Arrays.asList(items), checked(level));
    return value;
  }

  private static int checked(int level) {
    if (level <= DEEPEST) return level;
    throw new IllegalArgumentException(
        "nested deeper than "
            + DEEPEST
            + " levels, or in itself: an engine takes no more, send a flatter value");
  }

  private static Map<String, Object> writeRecord(Record written, int level) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (RecordComponent component : SHAPES.get(written.getClass()).components) {
      Object value = get(component, written);
      boolean absent = value == null || (isOptional(component) && List.of().equals(value));
      if (!absent) map.put(fieldOf(component), write(value, level + 1));
    }
    return map;
  }

  private static String fieldOf(RecordComponent component) {
    FieldName other = component.getAnnotation(FieldName.class);
    return other == null ? component.getName() : other.value();
  }

  private static boolean isOptional(RecordComponent component) {
    return component.isAnnotationPresent(OptionalList.class);
  }

  private static Object get(RecordComponent component, Record written) {
    try {
      return component.getAccessor().invoke(written);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalArgumentException("cannot read " + component, failed);
    }
  }

  private static Map<String, Object> writeMap(Map<?, ?> map, int level) {
    Map<String, Object> written = new LinkedHashMap<>();
    map.forEach((name, value) -> written.put(String.valueOf(name), write(value, level + 1)));
    return written;
  }

  private static List<Object> writeAll(Iterable<?> items, int level) {
    List<Object> written = new ArrayList<>();
    for (Object item : items) written.add(write(item, level + 1));
    return written;
  }
}
