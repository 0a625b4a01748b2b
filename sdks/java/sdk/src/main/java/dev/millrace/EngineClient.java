// The client of an engine: everything a worker, a service or an operator asks of it.
package dev.millrace;

import static dev.millrace.internal.Call.arguments;

import dev.millrace.definition.Definition;
import dev.millrace.definition.DefinitionActivity;
import dev.millrace.definition.DefinitionSummary;
import dev.millrace.error.MillraceException;
import dev.millrace.instance.AuditEntry;
import dev.millrace.instance.Bulk;
import dev.millrace.instance.FoundInstance;
import dev.millrace.instance.Instance;
import dev.millrace.instance.InstanceFilter;
import dev.millrace.instance.RunSteps;
import dev.millrace.instance.StartInstance;
import dev.millrace.instance.StepExecution;
import dev.millrace.instance.Submission;
import dev.millrace.instance.UserTask;
import dev.millrace.instance.WaitingReason;
import dev.millrace.internal.Caller;
import dev.millrace.internal.Clock;
import dev.millrace.internal.Operation;
import dev.millrace.internal.Pages;
import dev.millrace.internal.Records;
import dev.millrace.internal.SubmissionRun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The client of an engine, over REST or gRPC as the scheme of its URL says. Safe for use by many
 * threads; close it at the end.
 *
 * <pre>{@code
 * try (EngineClient client = EngineClient.connect("http://127.0.0.1:8080")) {
 *   Instance order = client.startInstance(StartInstance.of("order").variables(Map.of("amount", 42)));
 * }
 * }</pre>
 *
 * What may be repeated is repeated, with a growing pause and as the engine asks: reads, reports,
 * and changes, which get an idempotency key of their own. Calls throw {@link MillraceException}.
 */
public final class EngineClient implements AutoCloseable {
  private final Caller caller;
  private final Clock clock;

  EngineClient(Caller caller, Clock clock) {
    this.caller = caller;
    this.clock = clock;
  }

  /**
   * A client with the usual settings.
   *
   * @param url http, https, grpc (plaintext) or grpcs; several addresses are separated by commas
   */
  public static EngineClient connect(String url) {
    return builder(url).build();
  }

  /** For a client with a key, other time limits and so on. */
  public static EngineClientBuilder builder(String url) {
    return new EngineClientBuilder(url);
  }

  /** The same client with other options, for one call or some; it shares the connections. */
  public EngineClient with(CallOptions options) {
    return new EngineClient(caller.with(options), clock);
  }

  /** For one start or other change: a repeat with the same key and content is the same one. */
  public EngineClient withIdempotencyKey(String key) {
    return new EngineClient(caller.withKey(key), clock);
  }

  /** The calls of a worker. */
  public JobClient jobs() {
    return new JobClient(caller);
  }

  /** Jobs that stand alone, and what steers the queue. */
  public QueueClient queues() {
    return new QueueClient(caller);
  }

  /** What was given up. */
  public DeadLetterClient deadLetters() {
    return new DeadLetterClient(caller);
  }

  /** What is started by the clock. */
  public ScheduleClient schedules() {
    return new ScheduleClient(caller);
  }

  /** What has happened, for every sink. */
  public EventClient events() {
    return new EventClient(caller);
  }

  /** How the engine stands and went. */
  public ObservabilityClient observability() {
    return new ObservabilityClient(caller);
  }

  // Definitions

  /** The same content again gives the version that is there. */
  public DefinitionSummary uploadDefinition(Definition definition) {
    Map<String, Object> asked = arguments("definition", definition);
    return caller.get(DefinitionSummary.class, Operation.UPLOAD_DEFINITION, asked);
  }

  /** The latest version. */
  public Definition getDefinition(String id) {
    return definition(Operation.GET_DEFINITION, arguments("definitionId", id));
  }

  public Definition getDefinition(String id, int version) {
    Map<String, Object> asked = arguments("definitionId", id, "version", version);
    return definition(Operation.GET_DEFINITION_VERSION, asked);
  }

  @SuppressWarnings("unchecked")
  private Definition definition(Operation operation, Map<String, Object> asked) {
    Object answer = caller.call(operation, asked);
    return caller.read(operation, answer, a -> Definition.fromMap((Map<String, Object>) a));
  }

  /** The latest version of each; {@code keyword} is part of the id or the name, or null. */
  public Page<DefinitionSummary> listDefinitions(String keyword, PageRequest page) {
    Map<String, Object> filter = arguments("keyword", keyword);
    return caller.page(DefinitionSummary.class, Operation.LIST_DEFINITIONS, filter, page);
  }

  /** Newest first, at most 200. */
  public List<DefinitionSummary> listDefinitionVersions(String id) {
    Map<String, Object> asked = arguments("definitionId", id);
    return caller.list(DefinitionSummary.class, Operation.LIST_DEFINITION_VERSIONS, "items", asked);
  }

  /** At which steps its live instances stand, and how many for longer than {@code olderThan}. */
  public DefinitionActivity getDefinitionActivity(String id, Duration olderThan) {
    Map<String, Object> asked = arguments("definitionId", id, "olderThan", olderThan);
    return caller.get(DefinitionActivity.class, Operation.GET_DEFINITION_ACTIVITY, asked);
  }

  // Instances

  public Instance startInstance(StartInstance request) {
    return caller.get(Instance.class, Operation.START_INSTANCE, request.toMap());
  }

  public Instance getInstance(String id) {
    return caller.get(Instance.class, Operation.GET_INSTANCE, arguments("instanceId", id));
  }

  /** One page, newest first. */
  public Page<Instance> listInstances(InstanceFilter filter, PageRequest page) {
    return caller.page(Instance.class, Operation.LIST_INSTANCES, filter.toMap(), page);
  }

  /** Every instance that matches, newest first, page after page. */
  public Stream<Instance> instances(InstanceFilter filter) {
    return Pages.follow(page -> listInstances(filter, page));
  }

  /** Its step executions, oldest first. */
  public List<StepExecution> getHistory(String instanceId) {
    Map<String, Object> asked = arguments("instanceId", instanceId);
    return caller.list(StepExecution.class, Operation.GET_HISTORY, "items", asked);
  }

  /** Who did what; {@code afterSeq} 0 for everything. */
  public List<AuditEntry> getAudit(String instanceId, long afterSeq) {
    Map<String, Object> asked = arguments("instanceId", instanceId, "afterSeq", afterSeq);
    return caller.list(AuditEntry.class, Operation.GET_AUDIT, "items", asked);
  }

  /** Its steps with their attempts, errors and waits, alike for a list, a function and a graph. */
  public RunSteps getSteps(String instanceId) {
    return caller.get(RunSteps.class, Operation.GET_STEPS, arguments("instanceId", instanceId));
  }

  /**
   * Instances by the beginning of a key, a business key or an id.
   *
   * @param limit how many at most, from 1 to 50; null for the engine's default of 8
   */
  public List<FoundInstance> searchInstances(String prefix, Integer limit) {
    Map<String, Object> asked = arguments("prefix", prefix, "limit", limit);
    return caller.list(FoundInstance.class, Operation.SEARCH_INSTANCES, "items", asked);
  }

  /** Why it is not moving. */
  public List<WaitingReason> getWaiting(String instanceId) {
    Map<String, Object> asked = arguments("instanceId", instanceId);
    return caller.list(WaitingReason.class, Operation.GET_WAITING, "reasons", asked);
  }

  /** {@code reason} may be null. */
  public Instance cancelInstance(String id, String reason) {
    Map<String, Object> asked = arguments("instanceId", id, "reason", reason);
    return caller.get(Instance.class, Operation.CANCEL_INSTANCE, asked);
  }

  /** Ends a WAIT. {@code variables} are merged into the instance's; null sets none. */
  public void signal(String instanceId, String stepId, Map<String, ?> variables) {
    caller.call(
        Operation.SIGNAL,
        arguments("instanceId", instanceId, "stepId", stepId, "variables", variables));
  }

  /** Enters the failed step of a failed instance again, with {@code variables} merged first. */
  public Instance retryStep(String instanceId, String stepId, Map<String, ?> variables) {
    Map<String, Object> asked =
        arguments("instanceId", instanceId, "stepId", stepId, "variables", variables);
    return caller.get(Instance.class, Operation.RETRY_STEP, asked);
  }

  /** At the step that failed it. */
  public Instance retryInstance(String instanceId, Map<String, ?> variables) {
    Map<String, Object> asked = arguments("instanceId", instanceId, "variables", variables);
    return caller.get(Instance.class, Operation.RETRY_INSTANCE, asked);
  }

  /**
   * A new instance in the place of one that has ended, which stays as it is; from the beginning
   * where {@code fromStep} is null.
   */
  public Instance restartInstance(String instanceId, String fromStep, Map<String, ?> variables) {
    Map<String, Object> asked =
        arguments("instanceId", instanceId, "fromStep", fromStep, "variables", variables);
    return caller.get(Instance.class, Operation.RESTART_INSTANCE, asked);
  }

  /** Cancels or retries every instance that matches; follow it with {@link #getBulk}. */
  public Bulk startBulk(Bulk.Request request) {
    Map<String, Object> asked =
        arguments(
            "action", request.action(),
            "filter", request.filter(),
            "dryRun", request.dryRun(),
            "reason", request.reason());
    return caller.get(Bulk.class, Operation.START_BULK, asked);
  }

  public Bulk getBulk(String id) {
    return caller.get(Bulk.class, Operation.GET_BULK, arguments("bulkId", id));
  }

  // Intake

  /**
   * Saves a submission for later, once per key: a repeat is answered alike, whatever its payload.
   *
   * @param key the submission's own name; it holds as long as the instance lives
   * @param linkingId an event that the run may have to wait for; may be null
   * @return the key
   */
  public String intake(String definitionId, String key, Map<String, ?> payload, String linkingId) {
    Map<String, Object> asked =
        arguments("definitionId", definitionId, "payload", payload, "linkingId", linkingId);
    Object answer = caller.withKey(key).call(Operation.INTAKE, asked);
    return caller.read(
        Operation.INTAKE, answer, a -> (String) ((Map<?, ?>) a).get("idempotencyKey"));
  }

  /**
   * Saves a submission for later, and does not give up while it can still work. The first address
   * of this client is asked; when that is silent for too long or in trouble, the next one too. The
   * first that accepts wins, and has the same key as all others. Failures that may pass (no
   * connection, no answer, 429, 5xx) are sat out, engine by engine, with growing pauses and not
   * before its Retry-After. Throws where an engine refuses for good, when the deadline of the
   * submission passes, and when the thread is interrupted; after the latter two it may have been
   * accepted. Over REST, also for a client of gRPC.
   *
   * @return the key
   */
  public String submit(Submission submission) {
    new SubmissionRun(submission, caller.each(Operation.INTAKE), clock).run();
    return submission.key();
  }

  /** The instance that works on a submission. */
  public Instance getIntake(String definitionId, String key) {
    Map<String, Object> asked = arguments("definitionId", definitionId, "key", key);
    return caller.get(Instance.class, Operation.GET_INTAKE, asked);
  }

  /** Runs that wait for this event need not sit out their delay; how many there were. */
  public long wake(String linkingId) {
    return caller.get(Woken.class, Operation.WAKE, arguments("linkingId", linkingId)).woken();
  }

  private record Woken(long woken) {}

  // User tasks

  /** One page of the inbox, oldest first. */
  @SuppressWarnings("unchecked")
  public Page<UserTask> listUserTasks(UserTask.Filter filter, PageRequest page) {
    Map<String, Object> asked = (Map<String, Object>) Records.write(filter);
    return caller.page(UserTask.class, Operation.LIST_USER_TASKS, asked, page);
  }

  /** Every user task that matches, page after page. */
  public Stream<UserTask> userTasks(UserTask.Filter filter) {
    return Pages.follow(page -> listUserTasks(filter, page));
  }

  public UserTask getUserTask(String id) {
    return caller.get(UserTask.class, Operation.GET_USER_TASK, arguments("userTaskId", id));
  }

  /** A conflict where it has another assignee. */
  public UserTask claimUserTask(String id, String assignee) {
    Map<String, Object> asked = arguments("userTaskId", id, "assignee", assignee);
    return caller.get(UserTask.class, Operation.CLAIM_USER_TASK, asked);
  }

  /**
   * Gives it back, so that anyone of its group may claim it. With an assignee only if that person
   * has it; null means any holder.
   */
  public UserTask unclaimUserTask(String id, String assignee) {
    Map<String, Object> asked = arguments("userTaskId", id, "assignee", assignee);
    return caller.get(UserTask.class, Operation.UNCLAIM_USER_TASK, asked);
  }

  /** Makes it the task of another person. With {@code from} only if that person has it. */
  public UserTask delegateUserTask(String id, String assignee, String from) {
    Map<String, Object> asked = arguments("userTaskId", id, "assignee", assignee, "from", from);
    return caller.get(UserTask.class, Operation.DELEGATE_USER_TASK, asked);
  }

  /** Changes when it is due; null means at no time. */
  public UserTask setUserTaskDue(String id, Instant dueAt) {
    Map<String, Object> asked = arguments("userTaskId", id, "dueAt", dueAt);
    return caller.get(UserTask.class, Operation.SET_USER_TASK_DUE, asked);
  }

  /** By instance and step, not by the id of the task. The last two may be null. */
  public void completeUserTask(
      String instanceId, String stepId, String completedBy, Map<String, ?> variables) {
    caller.call(
        Operation.COMPLETE_USER_TASK,
        arguments(
            "instanceId", instanceId,
            "stepId", stepId,
            "completedBy", completedBy,
            "variables", variables));
  }

  /** Returns when the engine can take work, else throws. */
  public void ready() {
    caller.call(Operation.READY, Map.of());
  }

  /** Closes the connections; calls after it fail. */
  @Override
  public void close() {
    caller.close();
  }
}
