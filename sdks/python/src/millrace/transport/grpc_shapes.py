"""The messages of instances and jobs, as REST has them in JSON."""

from __future__ import annotations

from millrace._generated import engine_pb2 as pb
from millrace.transport.grpc_fields import Field, Shape, enum, many, plain, struct, texts, time, value

INSTANCE = Shape(
    pb.WorkflowInstance,
    plain("id", "id", always=True),
    plain("definitionId", "definition_id", always=True),
    plain("definitionVersion", "definition_version", always=True),
    enum("status", "status", pb.InstanceStatus, "INSTANCE_STATUS_"),
    texts("currentStepIds", "current_step_ids", always=True),
    struct("variables", "variables", always=True),
    struct("input", "input"),
    time("startedAt", "started_at"),
    time("completedAt", "completed_at"),
    plain("failureReason", "failure_reason"),
    plain("businessKey", "business_key"),
    plain("linkingId", "linking_id"),
    plain("parentId", "parent_id"),
    plain("undoneBy", "undone_by"),
    plain("restartOf", "restart_of"),
    plain("restartedAs", "restarted_as"),
    plain("key", "key"),
    plain("priority", "priority"),
)

_ATTEMPT = Shape(
    pb.StepAttempt,
    plain("attempt", "attempt", always=True),
    plain("outcome", "outcome", always=True),
    plain("error", "error", always=True),
    time("endedAt", "ended_at"),
    plain("workerId", "worker_id"),
)

STEP_EXECUTION = Shape(
    pb.StepExecution,
    plain("id", "id", always=True),
    plain("instanceId", "instance_id", always=True),
    plain("stepId", "step_id", always=True),
    enum("stepType", "step_type", pb.StepType, "STEP_TYPE_"),
    plain("attemptNumber", "attempt_number", always=True),
    enum("status", "status", pb.StepExecutionStatus, "STEP_EXECUTION_STATUS_"),
    time("startedAt", "started_at"),
    time("endedAt", "ended_at"),
    plain("failureReason", "failure_reason"),
    value("output", "output"),
    plain("workerId", "worker_id"),
    many("attempts", "attempts", _ATTEMPT),
)

JOB = Shape(
    pb.Job,
    plain("id", "id", always=True),
    plain("jobType", "job_type", always=True),
    plain("instanceId", "instance_id", always=True),
    plain("stepId", "step_id", always=True),
    plain("stepExecutionId", "step_execution_id", always=True),
    plain("retriesRemaining", "retries_remaining", always=True),
    struct("variables", "variables", always=True),
    time("lockExpiresAt", "lock_expires_at"),
    plain("leaseToken", "lease_token", always=True),
    plain("attempt", "attempt", always=True),
    plain("priority", "priority", always=True),
    plain("definitionId", "definition_id", always=True),
    plain("businessKey", "business_key"),
    plain("idempotencyKey", "idempotency_key", always=True),
    plain("timeoutSeconds", "timeout_seconds"),
    plain("traceparent", "traceparent"),
    plain("tracestate", "tracestate"),
)

COMPLETED_REPORT = Shape(
    pb.CompletedReport,
    plain("jobId", "job_id"),
    plain("leaseToken", "lease_token"),
    struct("variables", "variables"),
)

FAILED_REPORT = Shape(
    pb.FailedReport,
    plain("jobId", "job_id"),
    plain("leaseToken", "lease_token"),
    plain("retryable", "retryable"),
    plain("errorMessage", "error_message"),
    plain("retryAfter", "retry_after"),
    plain("downstreamStatus", "downstream_status"),
    plain("stack", "stack"),
)

POLL_OPTIONS = Shape(
    pb.PollOptions,
    texts("jobTypes", "job_types"),
    plain("maxJobs", "max_jobs"),
    plain("leaseSeconds", "lease_seconds"),
    plain("waitSeconds", "wait_seconds"),
)


def _outcome(number: int) -> str:
    return pb.ReportOutcome.Name(number)[len("REPORT_OUTCOME_") :].lower()


REPORT_RESULT = Shape(
    pb.ReportResult, plain("jobId", "job_id", always=True), Field("outcome", "outcome", back=_outcome, always=True)
)
