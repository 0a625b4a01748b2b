// Who may do what: written down once more, so that a slip in the table of routes or in an operation is seen.

/** Whose data it is, or what is changed. */
export type Kind = "instance" | "job"

export interface Access {
  /** What the route itself asks for. */
  readonly scope: string
  /** What it asks for besides, by what stands behind its object. */
  readonly reaches?: Readonly<Record<Kind, string>>
  /** Whose data is in its answer, and the scope without which it is left out. */
  readonly shows?: Readonly<Partial<Record<Kind, string>>>
}

/** A schedule starts an instance or a job; a dead letter belongs to one. */
export const TARGETS = { instance: "instances:write", job: "jobs:write" }

/** Every route there is. */
export const ACCESS: Readonly<Record<string, Access>> = {
  "POST /v1/definitions": { scope: "definitions:write" },
  "GET /v1/definitions": { scope: "definitions:read" },
  "GET /v1/definitions/{definitionId}": { scope: "definitions:read" },
  "GET /v1/definitions/{definitionId}/versions/{version}": { scope: "definitions:read" },
  "GET /v1/definitions/{definitionId}/versions": { scope: "definitions:read" },
  "GET /v1/definitions/{definitionId}/activity": { scope: "instances:read" },
  "POST /v1/instances": { scope: "instances:write", shows: { instance: "instances:write" } },
  "GET /v1/instances": { scope: "instances:read", shows: { instance: "instances:read" } },
  "GET /v1/instances/{instanceId}": { scope: "instances:read", shows: { instance: "instances:read" } },
  "GET /v1/instances/{instanceId}/history": { scope: "instances:read" },
  "GET /v1/instances/{instanceId}/audit": { scope: "instances:read" },
  "GET /v1/instances/{instanceId}/waiting": { scope: "instances:read" },
  "POST /v1/instances/{instanceId}/cancel": { scope: "instances:write" },
  "POST /v1/instances/{instanceId}/signals/{stepId}": { scope: "instances:write" },
  "POST /v1/instances/{instanceId}/user-tasks/{stepId}/complete": { scope: "tasks:write" },
  "POST /v1/instances/{instanceId}/steps/{stepId}/retry": { scope: "instances:write" },
  "POST /v1/instances/{instanceId}/retry": { scope: "instances:write" },
  "POST /v1/intake/{definitionId}": { scope: "instances:write" },
  "GET /v1/intake/{definitionId}/{key}": { scope: "instances:read", shows: { instance: "instances:read" } },
  "POST /v1/wakeups": { scope: "instances:write" },
  "POST /v1/instances/bulk": { scope: "instances:write" },
  "GET /v1/bulk/{bulkId}": { scope: "any-key" },
  "GET /queues/dlq": { scope: "jobs:read", shows: { job: "jobs:read" } },
  "GET /queues/dlq/groups": { scope: "jobs:read" },
  "GET /queues/dlq/{deadLetterId}": { scope: "jobs:read", shows: { job: "jobs:read", instance: "instances:read" } },
  "POST /queues/dlq/replay": { scope: "jobs:write" },
  "POST /queues/dlq/discard": { scope: "jobs:write" },
  "POST /queues/dlq/{deadLetterId}/replay": { scope: "jobs:write", reaches: TARGETS },
  "DELETE /queues/dlq/{deadLetterId}": { scope: "jobs:write", reaches: TARGETS },
  "GET /v1/user-tasks": { scope: "tasks:read", shows: { instance: "tasks:read" } },
  "GET /v1/user-tasks/{userTaskId}": { scope: "tasks:read", shows: { instance: "tasks:read" } },
  "POST /v1/user-tasks/{userTaskId}/claim": { scope: "tasks:write", shows: { instance: "tasks:read" } },
  "GET /v1/jobs": { scope: "jobs:read" },
  "POST /v1/jobs/poll": { scope: "jobs:work" },
  "POST /v1/jobs/exchange": { scope: "jobs:work" },
  "POST /v1/jobs/complete": { scope: "jobs:work" },
  "POST /v1/jobs/fail": { scope: "jobs:work" },
  "POST /v1/jobs/{jobId}/complete": { scope: "jobs:work" },
  "POST /v1/jobs/{jobId}/fail": { scope: "jobs:work" },
  "POST /v1/jobs/{jobId}/heartbeat": { scope: "jobs:work" },
  "GET /v1/schedules": { scope: "jobs:read", shows: { job: "jobs:read", instance: "instances:read" } },
  "POST /v1/schedules": {
    scope: "queues:write",
    reaches: TARGETS,
    shows: { job: "jobs:read", instance: "instances:read" },
  },
  "GET /v1/schedules/{scheduleId}": { scope: "jobs:read", shows: { job: "jobs:read", instance: "instances:read" } },
  "PUT /v1/schedules/{scheduleId}": {
    scope: "queues:write",
    reaches: TARGETS,
    shows: { job: "jobs:read", instance: "instances:read" },
  },
  "PATCH /v1/schedules/{scheduleId}": {
    scope: "queues:write",
    reaches: TARGETS,
    shows: { job: "jobs:read", instance: "instances:read" },
  },
  "DELETE /v1/schedules/{scheduleId}": { scope: "queues:write" },
  "POST /v1/schedules/{scheduleId}/run": { scope: "queues:write", reaches: TARGETS },
  "GET /v1/schedules/{scheduleId}/runs": { scope: "jobs:read" },
  "POST /jobs": { scope: "jobs:write" },
  "POST /jobs/bulk": { scope: "jobs:write" },
  "GET /jobs/{jobId}": { scope: "jobs:read", shows: { job: "jobs:read" } },
  "POST /jobs/{jobId}/cancel": { scope: "jobs:write" },
  "GET /queues/metrics": { scope: "jobs:read" },
  "GET /queues/weights": { scope: "jobs:read" },
  "PATCH /queues/weights": { scope: "queues:write" },
  "DELETE /queues/weights": { scope: "queues:write" },
  "GET /queues/watermarks": { scope: "jobs:read" },
  "PUT /queues/watermarks": { scope: "queues:write" },
  "DELETE /queues/watermarks": { scope: "queues:write" },
  "POST /queues/{name}/pause": { scope: "queues:write" },
  "POST /queues/{name}/resume": { scope: "queues:write" },
  "GET /v1/jobs/{jobId}/waiting": { scope: "jobs:read" },
  "GET /v1/pauses": { scope: "jobs:read" },
  "POST /v1/pauses": { scope: "queues:write" },
  "DELETE /v1/pauses/{kind}/{name}": { scope: "queues:write" },
  "GET /v1/downstreams": { scope: "jobs:read" },
  "GET /v1/downstreams/{name}": { scope: "jobs:read" },
  "PUT /v1/downstreams/{name}": { scope: "queues:write" },
  "DELETE /v1/downstreams/{name}": { scope: "queues:write" },
  "GET /v1/job-types": { scope: "jobs:read" },
  "PUT /v1/job-types/{name}": { scope: "queues:write" },
  "GET /v1/workers": { scope: "jobs:read" },
  "GET /v1/overview": { scope: "metrics:read" },
  "GET /v1/stats": { scope: "metrics:read" },
  "GET /v1/stream": { scope: "metrics:read" },
  "GET /metrics": { scope: "metrics:read" },
  "GET /healthz": { scope: "anyone" },
  "GET /readyz": { scope: "anyone" },
  "GET /health": { scope: "anyone" },
  "GET /openapi.json": { scope: "any-key" },
  "GET /v1/session": { scope: "anyone" },
  "POST /v1/session": { scope: "anyone" },
  "DELETE /v1/session": { scope: "anyone" },
  "GET /": { scope: "anyone" },
  "GET /ui": { scope: "anyone" },
  "GET /ui/{path}": { scope: "anyone" },
  "GET /docs": { scope: "anyone" },
}
