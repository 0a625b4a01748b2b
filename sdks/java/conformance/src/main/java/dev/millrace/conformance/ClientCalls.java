// The commands that are calls of the client.
package dev.millrace.conformance;

import dev.millrace.EngineClient;
import dev.millrace.PageRequest;
import dev.millrace.Priority;
import dev.millrace.definition.Definition;
import dev.millrace.instance.InstanceFilter;
import dev.millrace.instance.InstanceStatus;
import dev.millrace.instance.StartInstance;
import dev.millrace.job.Exchange;
import dev.millrace.job.Failure;
import dev.millrace.job.Lease;
import dev.millrace.job.PollRequest;
import dev.millrace.queue.NewJob;
import java.time.Duration;
import java.util.Map;

/** Answers are records, which the program writes in the JSON of the REST contract. */
record ClientCalls(EngineClient client) {
  Object run(String command, Arguments with) {
    return switch (command) {
      case "uploadDefinition" ->
          client.uploadDefinition(Definition.fromMap(with.map("definition")));
      case "getDefinition" -> getDefinition(with);
      case "listDefinitions" -> client.listDefinitions(with.text("keyword"), page(with));
      case "startInstance" -> client.with(with.options()).startInstance(start(with));
      case "getInstance" -> client.getInstance(with.text("id"));
      case "listInstances" -> client.listInstances(filter(with), page(with));
      case "getHistory" -> Map.of("items", client.getHistory(with.text("id")));
      case "getSteps" -> client.getSteps(with.text("id"));
      case "searchInstances" ->
          Map.of("items", client.searchInstances(with.text("prefix"), with.number("limit")));
      case "cancelInstance" -> client.cancelInstance(with.text("id"), with.text("reason"));
      case "completeUserTask" -> completeUserTask(with);
      case "signal" -> signal(with);
      case "retryStep" ->
          client.retryStep(with.text("instanceId"), with.text("stepId"), with.map("variables"));
      case "poll" -> Map.of("jobs", client.jobs().poll(with.text("workerId"), pollRequest(with)));
      case "complete" -> complete(with);
      case "fail" -> fail(with);
      case "heartbeat" ->
          Map.of(
              "lockExpiresAt",
              client.jobs().heartbeat(lease(with), with.number("leaseSeconds", 0)));
      case "exchange" -> client.jobs().exchange(exchange(with));
      case "enqueue" -> client.queues().enqueue(newJob(with));
      default -> throw new IllegalArgumentException("there is no command " + command);
    };
  }

  private Object getDefinition(Arguments with) {
    Integer version = with.number("version");
    if (version == null) return client.getDefinition(with.text("id"));
    return client.getDefinition(with.text("id"), version);
  }

  private static PageRequest page(Arguments with) {
    return new PageRequest(with.number("pageSize"), with.text("cursor"), with.number("page"));
  }

  private static StartInstance start(Arguments with) {
    return StartInstance.of(with.text("definitionId"))
        .definitionVersion(with.number("definitionVersion"))
        .variables(with.map("variables"))
        .businessKey(with.text("businessKey"))
        .priority(with.constant("priority", Priority.class))
        .linkingId(with.text("linkingId"));
  }

  private static InstanceFilter filter(Arguments with) {
    return InstanceFilter.ALL
        .definitionId(with.text("definitionId"))
        .status(with.constant("status", InstanceStatus.class))
        .businessKey(with.text("businessKey"));
  }

  private Object completeUserTask(Arguments with) {
    client.completeUserTask(
        with.text("instanceId"),
        with.text("stepId"),
        with.text("completedBy"),
        with.map("variables"));
    return null;
  }

  private Object signal(Arguments with) {
    client.signal(with.text("instanceId"), with.text("stepId"), with.map("variables"));
    return null;
  }

  private static PollRequest pollRequest(Arguments with) {
    PollRequest request = PollRequest.of(with.texts("jobTypes"));
    if (with.number("maxJobs") != null) request = request.maxJobs(with.number("maxJobs"));
    if (with.number("leaseSeconds") != null)
      request = request.leaseSeconds(with.number("leaseSeconds"));
    if (with.number("waitSeconds") != null)
      request = request.waitSeconds(with.number("waitSeconds"));
    return request;
  }

  private static Lease lease(Arguments with) {
    return new Lease(with.text("jobId"), with.text("workerId"), with.text("leaseToken"));
  }

  private Object complete(Arguments with) {
    client.jobs().complete(lease(with), with.map("variables"));
    return null;
  }

  private static Failure failure(Arguments with) {
    return new Failure(
        with.flag("retryable"), with.text("errorMessage"), with.seconds("retryAfter"), null);
  }

  private Object fail(Arguments with) {
    client.jobs().fail(lease(with), failure(with));
    return null;
  }

  private static Exchange exchange(Arguments with) {
    Exchange exchange = Exchange.of(with.text("workerId"));
    for (Arguments done : with.list("completed"))
      exchange =
          exchange.completed(done.text("jobId"), done.text("leaseToken"), done.map("variables"));
    for (Arguments failed : with.list("failed"))
      exchange = exchange.failed(failed.text("jobId"), failed.text("leaseToken"), failure(failed));
    if (with.map("poll") == null) return exchange;
    return exchange.poll(pollRequest(new Arguments(with.map("poll"))));
  }

  private static NewJob newJob(Arguments with) {
    Map<String, Object> payload = with.map("payload");
    String delay = with.text("delay");
    return NewJob.of(with.text("type"), payload == null ? Map.of() : payload)
        .priority(with.constant("priority", Priority.class))
        .key(with.text("key"))
        .delay(delay == null ? null : Duration.parse(delay));
  }
}
