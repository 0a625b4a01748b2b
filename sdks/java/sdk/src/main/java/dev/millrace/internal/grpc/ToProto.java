// JSON in the words of REST, as messages of the gRPC contract.
package dev.millrace.internal.grpc;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import dev.millrace.error.EngineException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Field by field, by the names that JSON has. What the contract does not have is refused. */
final class ToProto {
  private static final BigInteger LARGEST = BigInteger.valueOf((1L << 53) - 1);

  private ToProto() {}

  static Message message(Map<String, Object> json, Message.Builder builder) {
    return message(json, builder, "$");
  }

  private static Message message(Map<?, ?> json, Message.Builder builder, String path) {
    json.forEach(
        (name, value) -> {
          if (value == null) return;
          String at = path + "." + name;
          if (value instanceof Map<?, ?> map && Ordered.isOrdered(builder, (String) name))
            Ordered.add(map, builder, (String) name, at);
          else set(builder, field(builder, (String) name, at), value, at);
        });
    return builder.build();
  }

  static FieldDescriptor field(Message.Builder builder, String jsonName, String at) {
    for (FieldDescriptor field : builder.getDescriptorForType().getFields())
      if (field.getJsonName().equals(jsonName)) return field;
    throw refuse(at, "there is no such field");
  }

  private static void set(Message.Builder builder, FieldDescriptor field, Object value, String at) {
    if (!field.isRepeated()) {
      builder.setField(field, single(builder, field, value, at));
      return;
    }
    if (!(value instanceof List<?> items)) throw refuse(at, "expected a list");
    for (int i = 0; i < items.size(); i++)
      builder.addRepeatedField(field, single(builder, field, items.get(i), at + "[" + i + "]"));
  }

  private static Object single(
      Message.Builder builder, FieldDescriptor field, Object value, String at) {
    return switch (field.getJavaType()) {
      case STRING -> as(String.class, value, at);
      case BOOLEAN -> as(Boolean.class, value, at);
      case INT -> as(Number.class, value, at).intValue();
      case DOUBLE -> as(Number.class, value, at).doubleValue();
      case ENUM -> constant(field.getEnumType(), value, at);
      case MESSAGE -> inner(builder.newBuilderForField(field), value, at);
      default -> throw new AssertionError(field);
    };
  }

  private static Message inner(Message.Builder builder, Object value, String at) {
    if (builder instanceof Value.Builder) return value(value, at);
    if (builder instanceof Timestamp.Builder) return timestamp(as(String.class, value, at));
    Map<?, ?> object = as(Map.class, value, at);
    if (builder instanceof Struct.Builder) return struct(object, at);
    return message(object, builder, at);
  }

  private static <T> T as(Class<T> type, Object value, String at) {
    if (type.isInstance(value)) return type.cast(value);
    throw refuse(at, "expected a " + type.getSimpleName().toLowerCase(Locale.ROOT));
  }

  private static EnumValueDescriptor constant(EnumDescriptor type, Object word, String at) {
    String prefix = Enums.prefix(type);
    EnumValueDescriptor found = type.findValueByName(prefix + word);
    if (found == null) throw refuse(at, "there is no such value: " + word);
    return found;
  }

  private static Timestamp timestamp(String text) {
    Instant time = Instant.parse(text);
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  private static Struct struct(Map<?, ?> object, String at) {
    Struct.Builder struct = Struct.newBuilder();
    object.forEach((name, value) -> struct.putFields((String) name, value(value, at + "." + name)));
    return struct.build();
  }

  static Value value(Object json, String at) {
    Value.Builder value = Value.newBuilder();
    if (json == null) value.setNullValue(NullValue.NULL_VALUE);
    else if (json instanceof String text) value.setStringValue(text);
    else if (json instanceof Boolean flag) value.setBoolValue(flag);
    else if (json instanceof Number number) value.setNumberValue(number(number, at));
    else if (json instanceof Map<?, ?> map) value.setStructValue(struct(map, at));
    else value.setListValue(list(as(List.class, json, at), at));
    return value.build();
  }

  private static ListValue list(List<?> items, String at) {
    ListValue.Builder list = ListValue.newBuilder();
    for (int i = 0; i < items.size(); i++) list.addValues(value(items.get(i), at + "[" + i + "]"));
    return list.build();
  }

  /** Numbers travel as doubles: what would be rounded is refused, as over REST. */
  private static double number(Number number, String at) {
    boolean whole = number instanceof Long || number instanceof BigInteger;
    BigInteger exact = whole ? new BigDecimal(number.toString()).toBigInteger() : BigInteger.ZERO;
    if (exact.abs().compareTo(LARGEST) > 0)
      throw refuse(at, "a whole number beyond ±(2^53−1): send it as a string");
    if (!Double.isFinite(number.doubleValue())) throw refuse(at, "not a JSON number");
    return number.doubleValue();
  }

  /** The engine would answer the same. */
  static EngineException refuse(String at, String message) {
    return EngineException.of(
        new EngineException.Refusal(
            "bad-request",
            400,
            message + " at " + at,
            null,
            List.of(new dev.millrace.error.Violation(at, message, null)),
            null));
  }
}
