// Every operation of the contract that the SDK calls: its route, and how its arguments travel.
package dev.millrace.internal;

/**
 * Arguments are flat and named as the contract names them: parts of the path, then the query of a
 * GET or the fields of a body. Where the body is one argument as a whole, {@link #bodyName()} names
 * it. A test compares the routes with contracts/openapi.yaml.
 */
public enum Operation {
  UPLOAD_DEFINITION("uploadDefinition", "POST /v1/definitions", "definition"),
  LIST_DEFINITIONS("listDefinitions", "GET /v1/definitions"),
  GET_DEFINITION("getDefinition", "GET /v1/definitions/{definitionId}"),
  GET_DEFINITION_VERSION(
      "getDefinitionVersion", "GET /v1/definitions/{definitionId}/versions/{version}"),
  LIST_DEFINITION_VERSIONS("listDefinitionVersions", "GET /v1/definitions/{definitionId}/versions"),
  GET_DEFINITION_ACTIVITY("getDefinitionActivity", "GET /v1/definitions/{definitionId}/activity"),

  START_INSTANCE("startInstance", "POST /v1/instances"),
  LIST_INSTANCES("listInstances", "GET /v1/instances"),
  GET_INSTANCE("getInstance", "GET /v1/instances/{instanceId}"),
  GET_HISTORY("getInstanceHistory", "GET /v1/instances/{instanceId}/history"),
  GET_AUDIT("getInstanceAudit", "GET /v1/instances/{instanceId}/audit"),
  GET_STEPS("getInstanceSteps", "GET /v1/instances/{instanceId}/steps"),
  SEARCH_INSTANCES("searchInstances", "GET /v1/search"),
  GET_WAITING("getInstanceWaiting", "GET /v1/instances/{instanceId}/waiting"),
  CANCEL_INSTANCE("cancelInstance", "POST /v1/instances/{instanceId}/cancel"),
  SIGNAL("signalInstance", "POST /v1/instances/{instanceId}/signals/{stepId}", "variables"),
  RETRY_STEP("retryStep", "POST /v1/instances/{instanceId}/steps/{stepId}/retry"),
  RETRY_INSTANCE("retryInstance", "POST /v1/instances/{instanceId}/retry"),
  RESTART_INSTANCE("restartInstance", "POST /v1/instances/{instanceId}/restart"),
  START_BULK("startBulk", "POST /v1/instances/bulk"),
  GET_BULK("getBulk", "GET /v1/bulk/{bulkId}"),

  COMPLETE_USER_TASK(
      "completeUserTask", "POST /v1/instances/{instanceId}/user-tasks/{stepId}/complete"),
  LIST_USER_TASKS("listUserTasks", "GET /v1/user-tasks"),
  GET_USER_TASK("getUserTask", "GET /v1/user-tasks/{userTaskId}"),
  CLAIM_USER_TASK("claimUserTask", "POST /v1/user-tasks/{userTaskId}/claim"),
  UNCLAIM_USER_TASK("unclaimUserTask", "POST /v1/user-tasks/{userTaskId}/unclaim"),
  DELEGATE_USER_TASK("delegateUserTask", "POST /v1/user-tasks/{userTaskId}/delegate"),
  SET_USER_TASK_DUE("setUserTaskDue", "POST /v1/user-tasks/{userTaskId}/due"),

  INTAKE("takeIntake", "POST /v1/intake/{definitionId}", "payload"),
  GET_INTAKE("getIntake", "GET /v1/intake/{definitionId}/{key}"),
  WAKE("wakeRuns", "POST /v1/wakeups"),

  POLL("pollJobs", "POST /v1/jobs/poll"),
  COMPLETE("completeJob", "POST /v1/jobs/{jobId}/complete"),
  FAIL("failJob", "POST /v1/jobs/{jobId}/fail"),
  HEARTBEAT("heartbeatJob", "POST /v1/jobs/{jobId}/heartbeat"),
  EXCHANGE("exchangeJobs", "POST /v1/jobs/exchange"),
  LIST_JOBS("listJobs", "GET /v1/jobs"),
  LIST_ENDED_JOBS("listEndedJobs", "GET /v1/jobs/ended"),
  GET_JOB_ATTEMPTS("listJobAttempts", "GET /v1/jobs/{jobId}/attempts"),
  RERUN_JOB("rerunJob", "POST /v1/jobs/{jobId}/rerun"),
  GET_JOB_WAITING("explainJobWaiting", "GET /v1/jobs/{jobId}/waiting"),

  ENQUEUE("enqueueJob", "POST /jobs"),
  ENQUEUE_MANY("enqueueJobs", "POST /jobs/bulk"),
  GET_JOB("getJob", "GET /jobs/{jobId}"),
  CANCEL_JOB("cancelJob", "POST /jobs/{jobId}/cancel"),

  PUBLISH_EVENT("publishEvent", "POST /v1/events"),

  LIST_DEAD_LETTERS("listDeadLetters", "GET /queues/dlq"),
  GROUP_DEAD_LETTERS("groupDeadLetters", "GET /queues/dlq/groups"),
  GET_DEAD_LETTER("getDeadLetter", "GET /queues/dlq/{deadLetterId}"),
  REPLAY_DEAD_LETTER("replayDeadLetter", "POST /queues/dlq/{deadLetterId}/replay"),
  DISCARD_DEAD_LETTER("discardDeadLetter", "DELETE /queues/dlq/{deadLetterId}"),
  REPLAY_DEAD_LETTERS("replayDeadLetters", "POST /queues/dlq/replay"),
  DISCARD_DEAD_LETTERS("discardDeadLetters", "POST /queues/dlq/discard"),

  LIST_SCHEDULES("listSchedules", "GET /v1/schedules"),
  CREATE_SCHEDULE("createSchedule", "POST /v1/schedules"),
  GET_SCHEDULE("getSchedule", "GET /v1/schedules/{scheduleId}"),
  PUT_SCHEDULE("putSchedule", "PUT /v1/schedules/{scheduleId}"),
  CHANGE_SCHEDULE("changeSchedule", "PATCH /v1/schedules/{scheduleId}"),
  DELETE_SCHEDULE("deleteSchedule", "DELETE /v1/schedules/{scheduleId}"),
  RUN_SCHEDULE("runSchedule", "POST /v1/schedules/{scheduleId}/run"),
  LIST_SCHEDULE_RUNS("listScheduleRuns", "GET /v1/schedules/{scheduleId}/runs"),

  GET_QUEUE_METRICS("getQueueMetrics", "GET /queues/metrics"),
  GET_WEIGHTS("getWeights", "GET /queues/weights"),
  SET_WEIGHTS("setWeights", "PATCH /queues/weights"),
  RESET_WEIGHTS("resetWeights", "DELETE /queues/weights"),
  GET_WATERMARKS("getWatermarks", "GET /queues/watermarks"),
  SET_WATERMARKS("setWatermarks", "PUT /queues/watermarks"),
  RESET_WATERMARKS("resetWatermarks", "DELETE /queues/watermarks"),
  PAUSE_QUEUE("pauseQueue", "POST /queues/{name}/pause"),
  RESUME_QUEUE("resumeQueue", "POST /queues/{name}/resume"),
  LIST_PAUSES("listPauses", "GET /v1/pauses"),
  PAUSE("pause", "POST /v1/pauses"),
  RESUME("resume", "DELETE /v1/pauses/{kind}/{name}"),
  LIST_DOWNSTREAMS("listDownstreams", "GET /v1/downstreams"),
  GET_DOWNSTREAM("getDownstream", "GET /v1/downstreams/{name}"),
  SET_DOWNSTREAM("setDownstream", "PUT /v1/downstreams/{name}"),
  DELETE_DOWNSTREAM("deleteDownstream", "DELETE /v1/downstreams/{name}"),
  LIST_JOB_TYPES("listJobTypes", "GET /v1/job-types"),
  SET_JOB_TYPE("setJobType", "PUT /v1/job-types/{name}"),
  LIST_WORKERS("listWorkers", "GET /v1/workers"),
  GET_OVERVIEW("getOverview", "GET /v1/overview"),
  GET_STATS("getStats", "GET /v1/stats"),
  GET_COMPONENTS("getComponents", "GET /health"),
  GET_SESSION("getSession", "GET /v1/session"),
  READY("getReadiness", "GET /readyz");

  private final String id;
  private final String method;
  private final String path;
  private final String bodyName;

  Operation(String id, String route) {
    this(id, route, null);
  }

  Operation(String id, String route, String bodyName) {
    this.id = id;
    this.method = route.substring(0, route.indexOf(' '));
    this.path = route.substring(route.indexOf(' ') + 1);
    this.bodyName = bodyName;
  }

  /** Its operationId in the contract. */
  public String id() {
    return id;
  }

  public String method() {
    return method;
  }

  public String path() {
    return path;
  }

  /** The argument that is the whole body; null where the body has fields. */
  public String bodyName() {
    return bodyName;
  }

  /** Whether its arguments are the query. */
  public boolean hasQuery() {
    return method.equals("GET") || method.equals("DELETE");
  }

  /** The routes of the queue speak snake_case. */
  public boolean isSnakeCase() {
    return !path.startsWith("/v1/");
  }

  /** A worker asks or reports for itself: it carries no trace and no idempotency key. */
  public boolean isWorkers() {
    return switch (this) {
      case POLL, COMPLETE, FAIL, HEARTBEAT, EXCHANGE -> true;
      default -> false;
    };
  }

  /** Whether an idempotency key makes a repeat of it harmless. */
  public boolean takesKey() {
    return !isWorkers() && !method.equals("GET");
  }
}
