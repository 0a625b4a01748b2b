// Messages of the gRPC contract, as JSON in the words of REST.
package dev.millrace.internal.grpc;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import dev.millrace.internal.Records;
import dev.millrace.proto.workflow.v1.RetryPolicy;
import dev.millrace.proto.workflow.v1.WorkflowStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What has its default value is left out: proto3 cannot tell it from what was not given. */
final class FromProto {
  private static final double LARGEST = (1L << 53) - 1;

  private FromProto() {}

  static Map<String, Object> message(Message message) {
    Map<String, Object> json = new LinkedHashMap<>();
    Map<FieldDescriptor, Object> given = message.getAllFields();
    for (FieldDescriptor field : message.getDescriptorForType().getFields())
      if (given.containsKey(field) && !Ordered.isOrdered(field))
        json.put(field.getJsonName(), all(field, given.get(field)));
    if (message instanceof WorkflowStep step) Ordered.read(step, json);
    // No retries is a policy too.
    if (message instanceof RetryPolicy policy) json.put("retries", (long) policy.getRetries());
    return json;
  }

  private static Object all(FieldDescriptor field, Object value) {
    if (!field.isRepeated()) return single(value);
    List<Object> items = new ArrayList<>();
    for (Object item : (List<?>) value) items.add(single(item));
    return items;
  }

  private static Object single(Object value) {
    if (value instanceof Struct struct) return struct(struct);
    if (value instanceof Value any) return value(any);
    if (value instanceof Timestamp time)
      return Records.write(Instant.ofEpochSecond(time.getSeconds(), time.getNanos()));
    if (value instanceof Message inner) return message(inner);
    if (value instanceof EnumValueDescriptor constant)
      return constant.getName().substring(Enums.prefix(constant.getType()).length());
    if (value instanceof Integer number) return number.longValue();
    return value;
  }

  private static Map<String, Object> struct(Struct struct) {
    Map<String, Object> json = new LinkedHashMap<>();
    struct.getFieldsMap().forEach((name, value) -> json.put(name, value(value)));
    return json;
  }

  static Object value(Value value) {
    return switch (value.getKindCase()) {
      case STRING_VALUE -> value.getStringValue();
      case BOOL_VALUE -> value.getBoolValue();
      case NUMBER_VALUE -> number(value.getNumberValue());
      case STRUCT_VALUE -> struct(value.getStructValue());
      case LIST_VALUE -> {
        List<Object> items = new ArrayList<>();
        value.getListValue().getValuesList().forEach(item -> items.add(value(item)));
        yield items;
      }
      default -> null;
    };
  }

  /** As JSON would have been read: whole numbers are longs. */
  private static Number number(double number) {
    boolean whole = number == Math.rint(number) && Math.abs(number) <= LARGEST;
    if (whole) return (long) number;
    return number;
  }
}
