// Conditions and transformations of a step: a map in JSON, a list beside the map in gRPC, because
// their order counts.
package dev.millrace.internal.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.millrace.proto.workflow.v1.ConditionalNextStep;
import dev.millrace.proto.workflow.v1.NamedTransformation;
import dev.millrace.proto.workflow.v1.WorkflowStep;
import java.util.LinkedHashMap;
import java.util.Map;

final class Ordered {
  private static final String CONDITIONS = "conditionalNextSteps";
  private static final String TRANSFORMATIONS = "transformations";

  private Ordered() {}

  static boolean isOrdered(Message.Builder builder, String name) {
    return builder instanceof WorkflowStep.Builder
        && (name.equals(CONDITIONS) || name.equals(TRANSFORMATIONS));
  }

  static void add(Map<?, ?> entries, Message.Builder builder, String name, String at) {
    WorkflowStep.Builder step = (WorkflowStep.Builder) builder;
    entries.forEach(
        (key, value) -> {
          if (name.equals(CONDITIONS))
            step.addOrderedConditionalNextSteps(condition(key, value, at));
          else step.addOrderedTransformations(transformation(key, value, at));
        });
  }

  private static ConditionalNextStep condition(Object condition, Object next, String at) {
    if (!(next instanceof String step)) throw ToProto.refuse(at, "expected the id of a step");
    return ConditionalNextStep.newBuilder()
        .setCondition((String) condition)
        .setNextStep(step)
        .build();
  }

  private static NamedTransformation transformation(Object name, Object value, String at) {
    return NamedTransformation.newBuilder()
        .setName((String) name)
        .setValue(ToProto.value(value, at + "." + name))
        .build();
  }

  /** True for the four fields, which are read here and not one by one. */
  static boolean isOrdered(FieldDescriptor field) {
    return field.getContainingType().equals(WorkflowStep.getDescriptor())
        && switch (field.getNumber()) {
          case WorkflowStep.CONDITIONAL_NEXT_STEPS_FIELD_NUMBER,
              WorkflowStep.TRANSFORMATIONS_FIELD_NUMBER,
              WorkflowStep.ORDERED_CONDITIONAL_NEXT_STEPS_FIELD_NUMBER,
              WorkflowStep.ORDERED_TRANSFORMATIONS_FIELD_NUMBER ->
              true;
          default -> false;
        };
  }

  /** From the lists, or else from the maps of an engine without them. */
  static void read(WorkflowStep step, Map<String, Object> json) {
    Map<String, Object> conditions = new LinkedHashMap<>(step.getConditionalNextStepsMap());
    if (step.getOrderedConditionalNextStepsCount() > 0) conditions.clear();
    step.getOrderedConditionalNextStepsList()
        .forEach(entry -> conditions.put(entry.getCondition(), entry.getNextStep()));
    if (!conditions.isEmpty()) json.put(CONDITIONS, conditions);

    Map<String, Object> transformations = new LinkedHashMap<>();
    if (step.getOrderedTransformationsCount() == 0)
      step.getTransformationsMap()
          .forEach((name, value) -> transformations.put(name, FromProto.value(value)));
    step.getOrderedTransformationsList()
        .forEach(entry -> transformations.put(entry.getName(), FromProto.value(entry.getValue())));
    if (!transformations.isEmpty()) json.put(TRANSFORMATIONS, transformations);
  }
}
