// Which operations the gRPC service has, and how their words differ from those of REST.
package dev.millrace.internal.grpc;

import com.google.protobuf.Message;
import dev.millrace.internal.Operation;
import dev.millrace.proto.workflow.v1.WorkflowEngineGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * An operation as gRPC has it.
 *
 * @param renamed arguments that have another name there
 * @param reshape of an answer's JSON, to that of REST
 */
record GrpcOperation(
    Operation operation,
    MethodDescriptor<Message, Message> method,
    Map<String, String> renamed,
    UnaryOperator<Map<String, Object>> reshape) {
  private static final Map<Operation, GrpcOperation> ALL = new EnumMap<>(Operation.class);

  static {
    add(Operation.UPLOAD_DEFINITION, WorkflowEngineGrpc.getUploadDefinitionMethod(), same());
    add(Operation.GET_DEFINITION, WorkflowEngineGrpc.getGetDefinitionMethod(), inner("definition"));
    add(
        Operation.GET_DEFINITION_VERSION,
        WorkflowEngineGrpc.getGetDefinitionMethod(),
        inner("definition"));
    add(
        Operation.LIST_DEFINITIONS,
        WorkflowEngineGrpc.getListDefinitionsMethod(),
        list("definitions"));
    add(Operation.START_INSTANCE, WorkflowEngineGrpc.getStartInstanceMethod(), inner("instance"));
    add(Operation.GET_INSTANCE, WorkflowEngineGrpc.getGetInstanceMethod(), inner("instance"));
    add(
        Operation.GET_HISTORY,
        WorkflowEngineGrpc.getGetInstanceHistoryMethod(),
        list("executions"));
    add(Operation.CANCEL_INSTANCE, WorkflowEngineGrpc.getCancelInstanceMethod(), inner("instance"));
    add(Operation.LIST_INSTANCES, WorkflowEngineGrpc.getListInstancesMethod(), list("instances"));
    add(Operation.RETRY_STEP, WorkflowEngineGrpc.getRetryStepMethod(), inner("instance"));
    add(Operation.POLL, WorkflowEngineGrpc.getPollJobsMethod(), same());
    add(Operation.COMPLETE, WorkflowEngineGrpc.getCompleteJobMethod(), nothing());
    add(Operation.FAIL, WorkflowEngineGrpc.getFailJobMethod(), nothing());
    add(Operation.HEARTBEAT, WorkflowEngineGrpc.getHeartbeatMethod(), same());
    add(Operation.EXCHANGE, WorkflowEngineGrpc.getExchangeJobsMethod(), same());
    add(Operation.COMPLETE_USER_TASK, WorkflowEngineGrpc.getCompleteUserTaskMethod(), nothing());
    add(Operation.SIGNAL, WorkflowEngineGrpc.getSignalWaitMethod(), nothing());
  }

  @SuppressWarnings("unchecked")
  private static void add(
      Operation operation,
      MethodDescriptor<?, ?> method,
      UnaryOperator<Map<String, Object>> reshape) {
    MethodDescriptor<Message, Message> plain = (MethodDescriptor<Message, Message>) method;
    ALL.put(operation, new GrpcOperation(operation, plain, renamed(operation), reshape));
  }

  private static Map<String, String> renamed(Operation operation) {
    return switch (operation) {
      case GET_DEFINITION, GET_DEFINITION_VERSION -> Map.of("definitionId", "id");
      case GET_INSTANCE, GET_HISTORY, CANCEL_INSTANCE -> Map.of("instanceId", "id");
      case COMPLETE -> Map.of("variables", "variablesToSet");
      case COMPLETE_USER_TASK -> Map.of("stepId", "userTaskStepId", "variables", "result");
      case SIGNAL -> Map.of("stepId", "waitStepId");
      default -> Map.of();
    };
  }

  static Optional<GrpcOperation> find(Operation operation) {
    return Optional.ofNullable(ALL.get(operation));
  }

  Message request(Map<String, Object> arguments) {
    Map<String, Object> named = new LinkedHashMap<>();
    arguments.forEach((name, value) -> named.put(renamed.getOrDefault(name, name), value));
    Message empty =
        ((PrototypeMarshaller<Message>) method.getRequestMarshaller()).getMessagePrototype();
    return ToProto.message(named, empty.newBuilderForType());
  }

  /** In the JSON of REST; null where the answer has no content. */
  Object answer(Message message) {
    return reshape.apply(FromProto.message(message));
  }

  private static UnaryOperator<Map<String, Object>> same() {
    return answer -> answer;
  }

  private static UnaryOperator<Map<String, Object>> nothing() {
    return answer -> null;
  }

  @SuppressWarnings("unchecked")
  private static UnaryOperator<Map<String, Object>> inner(String name) {
    return answer -> (Map<String, Object>) answer.get(name);
  }

  private static UnaryOperator<Map<String, Object>> list(String name) {
    return answer -> {
      Map<String, Object> page = new LinkedHashMap<>(answer);
      page.put("items", answer.getOrDefault(name, List.of()));
      page.putIfAbsent("total", 0L);
      if (name.equals("instances")) page.putIfAbsent("totalIsExact", false);
      return page;
    };
  }
}
