// Generated from contracts/openapi.yaml by `npm run generate`. Do not edit.

/** Opaque and time-ordered. */
export type Id = string

export type DefinitionId = string

export type StepId = string

/** A name or label of the caller's own, without control characters. */
export type Key = string

/** Printable ASCII; one submission of a definition. */
export type IntakeKey = string

export type Time = string

/** ISO-8601 in days, hours, minutes and seconds, greater than zero. */
export type Duration = string

/** A JSON object. Returned keys replace the instance's, other keys stay; null is a value. */
export type Variables = {
  readonly [name: string]: unknown
}

export type Priority = "critical" | "high" | "normal"

export type InstanceStatus = "ACTIVE" | "WAITING" | "COMPLETED" | "FAILED" | "CANCELLED"

export type StepStatus = "RUNNING" | "COMPLETED" | "FAILED" | "SKIPPED"

export type UserTaskStatus = "OPEN" | "COMPLETED" | "CANCELLED"

export type StepType =
  | "SERVICE_TASK"
  | "USER_TASK"
  | "DECISION"
  | "TRANSFORMATION"
  | "WAIT"
  | "PARALLEL_GATEWAY"
  | "JOIN_GATEWAY"
  | "END"

/** Like errors have the same. */
export type Fingerprint = string

export interface DeadLetter {
  readonly id: Id
  /** A standalone job, or the step of a workflow. */
  readonly source: "job" | "step"
  readonly job_id: Id
  readonly type: Key
  readonly priority: Priority
  readonly reason: "exhausted" | "not-retryable" | "worker-lost"
  readonly error: string
  readonly fingerprint: Fingerprint
  /** How often it was handed out. */
  readonly attempts: number
  readonly retry_count: number
  readonly dead_at: Time
  readonly instance_id?: Id
  readonly definition_id?: DefinitionId
  readonly step_id?: StepId
  /** Of a standalone job: its own. Of a step: the key that its run was started with; needs the scope `instances:read`. */
  readonly key?: string
  /** That of the instance; needs the scope `instances:read`. */
  readonly business_key?: Key
  /** That of the instance; needs the scope `instances:read`. */
  readonly linking_id?: Key
  /** In a list only where it is not large. Of a step it is what its instance knows, and needs the scope `instances:read`. */
  readonly payload?: {
    readonly [name: string]: unknown
  }
}

export interface DeadLetterDetail extends DeadLetter {
  readonly history: readonly DeadLetterAttempt[]
}

export interface DeadLetterAttempt {
  readonly attempt: number
  readonly outcome: "failed" | "timed-out" | "lost" | "parked" | "returned" | "refused"
  readonly error?: string
  readonly worker_id?: Key
  readonly ended_at: Time
}

export interface DeadLetterPage {
  readonly items: readonly DeadLetter[]
  readonly next_cursor?: string
}

export interface DeadLetterGroup {
  readonly fingerprint: Fingerprint
  /** Of the newest of them. */
  readonly error: string
  readonly count: number
  readonly count_is_exact: boolean
  readonly first_at: Time
  readonly last_at: Time
  /** What died of it most often, among the newest 10,000 entries. */
  readonly sources?: readonly DeadLetterSource[]
  /** How many sources there are. */
  readonly source_count?: number
  /** How many of the newest 10,000 entries died of it in each of 30 equal spans of `period`, the oldest span first. */
  readonly over_time?: readonly number[]
}

/** A job type, of standalone jobs, or of steps of the definition that is named. */
export interface DeadLetterSource {
  readonly definition_id?: DefinitionId
  readonly type: Key
  readonly count: number
}

/** From the oldest entry that was looked at until now, or until the end of the range. Absent without entries. */
export interface DeadLetterPeriod {
  readonly since: Time
  readonly until: Time
}

export interface DeadLetterGroups {
  readonly period?: DeadLetterPeriod
  readonly items: readonly DeadLetterGroup[]
  /** False where errors of older entries may be missing. */
  readonly is_complete: boolean
}

export interface ReplayedDeadLetter {
  readonly replayed: Id
  readonly job_id?: Id
  readonly new_message_id?: Id
}

/** Filters are ANDed. */
export interface DeadLetterFilter {
  readonly type?: Key
  readonly priority?: Priority
  readonly definition_id?: DefinitionId
  readonly error?: Fingerprint
  readonly since?: Time
  readonly before?: Time
}

export interface DeadLetterBulk extends Bulk {
  /** Of a dry run; needs the scope `jobs:read`. */
  readonly examples?: readonly DeadLetter[]
}

export interface DeadLetterBulkRequest {
  readonly filter: DeadLetterFilter
  /** Default: false. */
  readonly dryRun?: boolean
}

export interface ErrorBody {
  /** A code of `errors.yaml`. */
  readonly error: string
  /** For people. */
  readonly message: string
  /** Also in the server's log. */
  readonly requestId: string
  readonly details?: readonly Violation[]
}

export interface Violation {
  /** JSON path of the offending value. */
  readonly path: string
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
}

export interface Definition {
  readonly id: DefinitionId
  /** Accepted and ignored on upload. */
  readonly version?: number
  readonly uploadedAt?: Time
  readonly name: string
  readonly description?: string
  /** The first step is the entry. */
  readonly steps: readonly Step[]
  /** Default: false. */
  readonly autoStartNextWorkflow?: boolean
  readonly nextWorkflowId?: DefinitionId
  /** Kept and not read. */
  readonly metadata?: {
    readonly [name: string]: unknown
  }
  readonly inputSchema?: VariableSchema
  readonly priority?: Priority
  /** Default: "graph". */
  readonly execution?: "graph" | "steplist"
  /** How a step list is retried. */
  readonly recover?: "resume" | "restart"
  readonly deadline?: Duration
  readonly retain?: Duration
  /**
   * What happens to an instance is published as events of the type workflow.events.<id>.
   * Default: false.
   */
  readonly events?: boolean
}

export interface StoredDefinition extends Definition {
  /** Accepted and ignored on upload. */
  readonly version: number
  readonly uploadedAt: Time
}

export interface DefinitionSummary {
  readonly id: DefinitionId
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly uploadedAt: Time
}

export interface UploadedDefinition {
  readonly id: DefinitionId
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly uploadedAt: Time
  /** What was accepted and may surprise, such as a non-interrupting path that reaches an END. Left out when empty. */
  readonly warnings?: readonly string[]
}

export interface Session {
  /** False on loopback and wherever keys are off. */
  readonly keyNeeded: boolean
  readonly signedIn: boolean
  /** The name of the key or the user, or `local`. */
  readonly name?: string
  /** What the caller may do. */
  readonly scopes?: readonly string[]
  /** What the provider to sign in with is called, where there is one: `GET /auth/oidc/start`. */
  readonly provider?: string
}

/** A key, or a user name and a password; where both are sent the key counts. */
export type SignIn = KeySignIn | PasswordSignIn

export interface KeySignIn {
  /** An API key; it is never logged and not kept. */
  readonly key: string
}

export interface NewUser {
  /** Letters (a to z), digits and . _ @ + -; Ada and ada are one name. */
  readonly username: string
  readonly email: string
  /** 12 to 128 characters; those that are tried first are refused. */
  readonly password: string
}

export interface User {
  readonly id: string
  readonly username: string
  readonly email: string
  readonly role: "USER" | "ADMIN"
  readonly createdAt: Time
}

export interface PasswordSignIn {
  readonly username: string
  readonly password: string
}

export interface PasswordChange {
  readonly username: string
  /** The one that is to end. */
  readonly password: string
  readonly newPassword: string
}

export interface AccessToken {
  /** A JSON Web Token. */
  readonly access_token: string
  readonly token_type: "bearer"
  /** Seconds. */
  readonly expires_in: number
}

export interface TokenKeys {
  readonly keys: readonly {
    readonly [name: string]: unknown
  }[]
}

export interface DefinitionVersion {
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly uploadedAt: Time
  /** A key's name, or `local`. */
  readonly uploadedBy: string
}

export interface DefinitionVersions {
  readonly items: readonly DefinitionVersion[]
}

export interface StepActivity {
  readonly version: number
  readonly stepId: StepId
  /** How many times the step is open just now. */
  readonly open: number
  /** Of those, open for longer than `olderThan`. */
  readonly older: number
}

export interface DefinitionActivity {
  readonly items: readonly StepActivity[]
  /** Live instances that were looked at. */
  readonly instances: number
  /** False where there are more live instances. */
  readonly isExact: boolean
}

export interface DefinitionPage {
  readonly items: readonly DefinitionSummary[]
  readonly page: number
  readonly pageSize: number
  readonly total: number
}

export type Step = ServiceTask | UserTaskStep | Decision | Transformation | Wait | ParallelGateway | JoinGateway | End

/** A job for a worker. Without a next step its path ends here, and the instance with the last path. */
export interface ServiceTask {
  readonly id: StepId
  readonly name: string
  readonly type: "SERVICE_TASK"
  readonly description?: string
  readonly boundaryEvents?: BoundaryEvents
  readonly jobType: Key
  /**
   * Short for `retry.retries`; not both.
   * Default: 0.
   */
  readonly retryCount?: number
  readonly retry?: RetryPolicy
  readonly nextStep?: StepId
  readonly conditionalNextSteps?: ConditionalNextSteps
  /** Stored and not used. */
  readonly delegateClass?: string
  readonly timeout?: StepTimeouts
  readonly onError?: OnError
  readonly priority?: Priority
  readonly downstream?: Key
  readonly outputSchema?: VariableSchema
}

/** Work for a person, listed in the inbox. */
export interface UserTaskStep {
  readonly id: StepId
  readonly name: string
  readonly type: "USER_TASK"
  readonly description?: string
  readonly boundaryEvents?: BoundaryEvents
  /** A routing label. */
  readonly jobType?: string
  readonly nextStep?: StepId
  readonly conditionalNextSteps?: ConditionalNextSteps
  readonly assignee?: Key
  readonly assigneeGroup?: Key
  readonly dueIn?: Duration
  readonly form?: VariableSchema
  readonly outputSchema?: VariableSchema
  readonly timeout?: TotalTimeout
  readonly onError?: OnError
}

/** Chooses the next step; none true fails the instance. */
export interface Decision {
  readonly id: StepId
  readonly name: string
  readonly type: "DECISION"
  readonly description?: string
  readonly conditionalNextSteps: ConditionalNextSteps
}

/** Sets variables. */
export interface Transformation {
  readonly id: StepId
  readonly name: string
  readonly type: "TRANSFORMATION"
  readonly description?: string
  /** Variable → literal or `${expression}`, in order; `${now()}` is the time. */
  readonly transformations: {
    readonly [name: string]: unknown
  }
  readonly nextStep: StepId
}

/** Parks until a signal or a timer. */
export interface Wait {
  readonly id: StepId
  readonly name: string
  readonly type: "WAIT"
  readonly description?: string
  readonly boundaryEvents?: BoundaryEvents
  readonly nextStep: StepId
  /**
   * A signal that comes before the wait is kept for it; otherwise it is refused with 409.
   * Default: false.
   */
  readonly keepEarly?: boolean
  /** The wait completes after this time, if no signal has ended it before. */
  readonly duration?: Duration
  readonly timeout?: TotalTimeout
  readonly onError?: OnError
}

/** Starts every branch at once; they meet at `joinStep`. */
export interface ParallelGateway {
  readonly id: StepId
  readonly name: string
  readonly type: "PARALLEL_GATEWAY"
  readonly description?: string
  readonly parallelNextSteps: readonly StepId[]
  readonly joinStep: StepId
}

/** Goes on once, when every branch has arrived. */
export interface JoinGateway {
  readonly id: StepId
  readonly name: string
  readonly type: "JOIN_GATEWAY"
  readonly description?: string
  readonly nextStep: StepId
}

/**
 * Completes the instance, whichever path reaches it, that of a non-interrupting timer included: steps that are still
 * open are closed as SKIPPED, with their jobs, timers and user tasks. A task without a next step ends its own path
 * only; the instance then completes when no path is left. Not allowed inside a fork.
 */
export interface End {
  readonly id: StepId
  readonly name: string
  readonly type: "END"
  readonly description?: string
}

/** Boolean expression → step id, in order; the first that is true wins. */
export type ConditionalNextSteps = {
  readonly [name: string]: StepId
}

export type BoundaryEvent = TimerEvent | ErrorEvent

/** Fires when the step has been open for so long. */
export interface TimerEvent {
  readonly type: "TIMER"
  readonly duration: Duration
  /**
   * true: the step is interrupted; false: the target runs beside it.
   * Default: false.
   */
  readonly interrupting?: boolean
  readonly targetStepId: StepId
}

/** Fires when the step fails for good. The step is FAILED, the target starts in the same transaction with the variable `error` set to `{stepId, reason}`, and the instance goes on. At most one for each step, and not with `onError: continue`. */
export interface ErrorEvent {
  readonly type: "ERROR"
  /** Always so; it may be left out. */
  readonly interrupting?: true
  readonly targetStepId: StepId
}

export type BoundaryEvents = readonly BoundaryEvent[]

/** The n-th retry comes after min(cap, base × factor^(n−1)), with jitter. */
export interface RetryPolicy {
  readonly retries: number
  readonly base?: Duration
  readonly factor?: number
  readonly cap?: Duration
  readonly jitter?: "none" | "partial" | "full"
}

/** Of one attempt's run, of the wait for a worker, of the step in total. */
export interface StepTimeouts {
  readonly run?: Duration
  readonly queue?: Duration
  readonly total?: Duration
}

export interface TotalTimeout {
  readonly total?: Duration
}

/**
 * `continue`: the failure is recorded and the run goes on.
 * Default: "fail".
 */
export type OnError = "fail" | "continue"

/** Strict, without coercion; a subset of JSON Schema. `title` and `description` are for forms. */
export interface VariableSchema {
  readonly type?: "object"
  readonly properties?: {
    readonly [name: string]: {
      readonly type: "string" | "number" | "integer" | "boolean"
      readonly title?: string
      readonly description?: string
    }
  }
  readonly required?: readonly string[]
}

export interface StartInstance {
  readonly definitionId: DefinitionId
  /** Latest when absent. */
  readonly definitionVersion?: number
  readonly variables?: Variables
  readonly businessKey?: Key
  readonly priority?: Priority
  readonly linkingId?: Key
}

export interface Instance {
  readonly id: Id
  readonly definitionId: DefinitionId
  readonly definitionVersion: number
  readonly status: InstanceStatus
  readonly currentStepIds: readonly StepId[]
  readonly variables: Variables
  /** What it was started with; only in the answer of `GET /v1/instances/{instanceId}`. */
  readonly input?: Variables
  readonly startedAt: Time
  readonly completedAt?: Time
  /** Never empty on a FAILED instance. */
  readonly failureReason?: string
  readonly businessKey?: Key
  /** The event that its run may wait for. */
  readonly linkingId?: Key
  /** The instance that it follows, belongs to, undoes or takes the place of. */
  readonly parentId?: Id
  /** The run that undoes its steps; it can be restarted and not retried. */
  readonly undoneBy?: Id
  /** The instance whose place it has taken by a restart; not in lists. */
  readonly restartOf?: Id
  /** The instance that has taken its place by a restart, the last of several; not in lists. */
  readonly restartedAs?: Id
  /** Of its jobs. */
  readonly priority: Priority
  /** The key that its run was started with; one run for each key and definition. */
  readonly key?: string
}

export interface CancelInstance {
  /** Kept as `failureReason`. */
  readonly reason?: string
}

export interface RetryStep {
  readonly variables?: Variables
}

export interface RestartInstance {
  /** The step to begin with; the first one unless it is given. */
  readonly fromStep?: StepId
  /** Merged over those that it begins with. */
  readonly variables?: Variables
  /** The latest unless it is given. */
  readonly definitionVersion?: number
}

export interface InstancePage {
  readonly items: readonly Instance[]
  /** Exact up to 10000. */
  readonly total: number
  readonly totalIsExact: boolean
  /** Absent on the last page. */
  readonly nextCursor?: string
}

export interface History {
  readonly items: readonly StepExecution[]
}

export interface StepExecution {
  readonly id: Id
  readonly instanceId: Id
  readonly stepId: StepId
  readonly stepType: StepType
  /** Counts the entries into this step. */
  readonly attemptNumber: number
  readonly status: StepStatus
  readonly startedAt: Time
  readonly endedAt?: Time
  readonly failureReason?: string
  /** What the step changed in the variables. */
  readonly output?: unknown
  /** The worker that reported its end or holds its job now. */
  readonly workerId?: string
  /** Deliveries that ended before without ending the step, oldest first; the last 1,000 of the instance. */
  readonly attempts?: readonly StepAttempt[]
}

export interface StepAttempt {
  /** As the worker was told it. */
  readonly attempt: number
  readonly outcome: "failed" | "timed-out" | "lost"
  readonly error: string
  readonly endedAt: Time
  readonly workerId?: string
}

export interface Found {
  readonly items: readonly FoundInstance[]
}

export interface FoundInstance {
  readonly instanceId: Id
  /** What begins with the prefix. */
  readonly matched: "key" | "businessKey" | "id"
  /** The whole of it. */
  readonly text: string
  /** The key that its run was started with. */
  readonly key?: string
  readonly businessKey?: Key
  readonly linkingId?: Key
  readonly definitionId: DefinitionId
  readonly status: InstanceStatus
}

export interface RunSteps {
  readonly form: "list" | "function" | "graph"
  /** The steps that it works on or waits at, by their own names. */
  readonly currentSteps: readonly StepId[]
  readonly items: readonly RunStep[]
}

export interface RunStep {
  readonly id: string
  readonly stepId: StepId
  readonly stepType: StepType
  /** Counts the entries into a step of a graph. */
  readonly attemptNumber: number
  /** `PENDING` has not been reached, `WAITING` holds no worker. */
  readonly status: "PENDING" | "RUNNING" | "WAITING" | "COMPLETED" | "FAILED" | "SKIPPED"
  readonly startedAt?: Time
  readonly endedAt?: Time
  readonly failureReason?: string
  /** Of the error; where the worker has told it. */
  readonly stack?: string
  /** It has failed and the run went on. */
  readonly isTolerated?: true
  /** What the step returned; of a graph what it changed in the variables. */
  readonly output?: unknown
  readonly workerId?: string
  readonly wait?: RunStepWait
  /** The branches of a function that it belongs to, the outermost first. */
  readonly branch?: readonly string[]
  /** The run that it has started. */
  readonly childId?: Id
  /** Attempts at this step that ended before without ending it, oldest first. */
  readonly attempts?: readonly RunStepAttempt[]
}

export interface RunStepWait {
  /** `sleep`, `signal`, `user-task`, `child`, `retry`, or another kind of `WaitingReason`. */
  readonly kind: string
  /** In words; only while it waits. */
  readonly message?: string
  readonly dueAt?: Time
}

export interface RunStepAttempt {
  /** As the worker was told it. */
  readonly attempt: number
  readonly outcome: "failed" | "timed-out" | "lost"
  readonly error: string
  readonly stack?: string
  readonly startedAt?: Time
  readonly endedAt: Time
  readonly workerId?: string
}

export interface AuditTrail {
  readonly items: readonly AuditEntry[]
}

export interface AuditEntry {
  readonly seq: number
  readonly at: Time
  /** A key's name, a worker id, or `local`. */
  readonly actor: string
  readonly kind: string
  readonly detail: {
    readonly [name: string]: unknown
  }
}

export interface WaitingReason {
  /**
   * A run that sleeps or waits has not failed: `sleep` until `dueAt`, `signal` for one of `signals`, `child` for its
   * end, `user-task` for a person. `retry` is what has failed: at which attempt, why, and when it is tried again.
   * `returned` was given back by its worker for no fault of its own. `scheduled` is not to begin before `dueAt`.
   * `job-queued` stands in the queue, `job-leased` is with a worker, `job-dispatched` is on its way through Kafka.
   * `paused`, `pace` and `limit` hold it back.
   * `timer` is what will happen beside it at `dueAt`. `set-aside` is work of the engine that failed again and again.
   * There may be more kinds in later versions; `detail.message` says any of them in words.
   */
  readonly kind:
    | "user-task"
    | "signal"
    | "sleep"
    | "child"
    | "timer"
    | "scheduled"
    | "job-queued"
    | "job-leased"
    | "job-dispatched"
    | "retry"
    | "returned"
    | "paused"
    | "pace"
    | "limit"
    | "backlog"
    | "set-aside"
  readonly stepId?: StepId
  readonly since: Time
  /**
   * `message` says it in words, and the facts are what the kind calls for: `step` (of a run), `dueAt`, `signals`,
   * `child` and its `childId`, `task`, `assignee`, `assigneeGroup`, `failures` of `maxAttempts`, `reason`, `leasedUntil`, `workerId`,
   * `position`, `lastPolledAt`, `pausedBy`, `expectedAt`, `refused` (why what came last for a wait was not taken).
   */
  readonly detail: {
    readonly [name: string]: unknown
  }
}

export interface Waiting {
  readonly reasons: readonly WaitingReason[]
}

export interface TakenIn {
  readonly idempotencyKey: IntakeKey
}

export interface WakeRuns {
  readonly linkingId: Key
}

export interface Woken {
  /** Runs that were sitting out a delay. */
  readonly woken: number
}

/** `variables` or `result`, not both. */
export interface CompleteUserTask {
  readonly completedBy?: Key
  readonly variables?: Variables
  /** Another name of `variables`. */
  readonly result?: {
    readonly [name: string]: unknown
  }
}

export interface ClaimUserTask {
  readonly assignee: Key
}

export interface UnclaimUserTask {
  /** Who gives it back; without it any holder. */
  readonly assignee?: Key
}

export interface DelegateUserTask {
  /** Whose task it is to be. */
  readonly assignee: Key
  /** Who has it now; without it any holder. */
  readonly from?: Key
}

export interface UserTaskDue {
  /** Without it the task is not due at any time. */
  readonly dueAt?: Time
}

export interface UserTask {
  readonly id: Id
  readonly instanceId: Id
  readonly stepId: StepId
  readonly definitionId: DefinitionId
  readonly name: string
  readonly status: UserTaskStatus
  /** That of the instance. */
  readonly businessKey?: Key
  /** The key that the run was started with. */
  readonly key?: string
  /** That of the instance. */
  readonly linkingId?: Key
  readonly assignee?: Key
  readonly assigneeGroup?: Key
  readonly dueAt?: Time
  readonly form?: VariableSchema
  /** What the task must be completed with. */
  readonly outputSchema?: VariableSchema
  readonly variables: Variables
  readonly createdAt: Time
  readonly completedAt?: Time
  readonly completedBy?: Key
}

export interface UserTaskPage {
  readonly items: readonly UserTask[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

export type EndedJobStatus = "COMPLETED" | "FAILED" | "CANCELLED"

export interface EndedJob {
  readonly id: Id
  readonly jobType: Key
  /** That it was enqueued with. */
  readonly key?: Key
  readonly priority: Priority
  readonly status: EndedJobStatus
  readonly createdAt: Time
  readonly endedAt: Time
  /** How many there were. */
  readonly attempts: number
  /** That ended it. */
  readonly workerId?: string
  /** The beginning of the last one. */
  readonly error?: string
  /** The job whose place it took. */
  readonly replayOf?: string
}

export interface EndedJobPage {
  readonly items: readonly EndedJob[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

export interface JobAttempt {
  /** As the worker was told it. */
  readonly attempt: number
  readonly outcome: "completed" | "failed" | "timed-out" | "lost" | "returned" | "parked"
  readonly endedAt: Time
  readonly workerId?: string
  readonly error?: string
  /** Of the error; where the worker has told it. */
  readonly stack?: string
}

export interface JobAttemptList {
  readonly items: readonly JobAttempt[]
}

export interface RerunJob {
  /** The new job. */
  readonly jobId: Id
}

/** `ready` waits for a worker, `leased` is with one, `delayed` waits for a time, `held` for a signal or its turn under a limit. */
export type LiveJobStatus = "ready" | "leased" | "delayed" | "held"

export interface LiveJob {
  readonly id: Id
  readonly jobType: Key
  readonly priority: Priority
  readonly status: LiveJobStatus
  /** Absent on a standalone job. */
  readonly instanceId?: Id
  /** Absent on a standalone job. */
  readonly stepId?: StepId
  /** Absent on a standalone job. */
  readonly definitionId?: DefinitionId
  /** Of a standalone job: its own. Of a step: the key that its run was started with; needs the scope `instances:read`. */
  readonly key?: string
  /** That of the instance; needs the scope `instances:read`. */
  readonly businessKey?: Key
  /** That of the instance; needs the scope `instances:read`. */
  readonly linkingId?: Key
  readonly createdAt: Time
  /** When a delayed one is due. */
  readonly visibleAt?: Time
  /** Which one it is, or was last; 0 before the first. */
  readonly attempt: number
  /** Who has the lease. */
  readonly workerId?: string
  /** When the lease ends. */
  readonly lockExpiresAt?: Time
}

export interface LiveJobPage {
  readonly items: readonly LiveJob[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

export interface Job {
  readonly id: Id
  readonly jobType: Key
  /** Empty on a standalone job. */
  readonly instanceId: string
  /** Empty on a standalone job. */
  readonly stepId: string
  /** Empty on a standalone job. */
  readonly stepExecutionId: string
  readonly retriesRemaining: number
  readonly variables: Variables
  readonly lockExpiresAt: Time
  readonly leaseToken: LeaseToken
  readonly attempt: number
  readonly priority: Priority
  /** Empty on a standalone job. */
  readonly definitionId: string
  readonly businessKey?: Key
  /** Constant over attempts, over the replay of a dead letter and over a manual retry of the step; for outside effects. */
  readonly idempotencyKey: string
  /** How long this attempt may run; absent where there is no limit. */
  readonly timeoutSeconds?: number
  readonly traceparent?: Traceparent
  readonly tracestate?: Tracestate
}

/**
 * W3C trace context of the request that asked for the work, or of the engine's span for it. Absent where no tracer
 * traces.
 */
export type Traceparent = string

/** What the tracers on the way had to say; absent without a `traceparent`. */
export type Tracestate = string

/** Proves the latest claim of a job; send it with every report. */
export type LeaseToken = string

export interface NamedJob {
  readonly jobId: Id
}

export interface Worker {
  readonly workerId?: Key
  /** Another name of `workerId`. */
  readonly workerID?: string
}

export interface PollOptions {
  readonly jobTypes: readonly Key[]
  /**
   * 1 to 100; clamped. 0 is the default.
   * Default: 10.
   */
  readonly maxJobs?: number
  /**
   * 5 to 3600; clamped. 0 is the default.
   * Default: 30.
   */
  readonly leaseSeconds?: number
  /**
   * 0 to 30; clamped.
   * Default: 0.
   */
  readonly waitSeconds?: number
}

export interface PollRequest extends Worker, PollOptions {}

export interface PollResult {
  readonly jobs: readonly Job[]
}

export interface CompleteJob extends Worker {
  readonly leaseToken?: LeaseToken
  readonly variables?: Variables
  /** Another name of `variables`. */
  readonly variablesToSet?: {
    readonly [name: string]: unknown
  }
}

export interface CompleteNamedJob extends NamedJob, CompleteJob {}

export interface FailJob extends Worker {
  readonly leaseToken?: LeaseToken
  /** Default: false. */
  readonly retryable?: boolean
  /** Default: "". */
  readonly errorMessage?: string
  readonly retryAfter?: RetryAfter
  readonly downstreamStatus?: DownstreamStatus
  readonly stack?: Stack
}

export interface FailNamedJob extends NamedJob, FailJob {}

/**
 * The HTTP status by which the system that the job calls pushed back: 429 or 503, or 504 when it did not answer in time.
 * `retryAfter` is then what it asked for. Jobs for the same `downstream` are handed out more slowly, or not until then.
 */
export type DownstreamStatus = number

/** Where the error was thrown, for the page of the run. It is cut after 8,000 characters. */
export type Stack = string

/** Seconds until the next attempt, instead of the retry policy's delay. */
export type RetryAfter = number

export interface HeartbeatRequest extends Worker {
  readonly leaseToken?: LeaseToken
  /**
   * 5 to 3600; clamped. 0 is the default.
   * Default: 30.
   */
  readonly leaseSeconds?: number
  /**
   * Brings the job's variables too: of a dispatch through Kafka whose message had no room for them.
   * Default: false.
   */
  readonly withVariables?: boolean
}

export interface HeartbeatResult {
  readonly lockExpiresAt: Time
  /** Where they were asked for. */
  readonly variables?: Variables
}

export interface ExchangeRequest extends Worker {
  readonly completed?: readonly CompletedReport[]
  readonly failed?: readonly FailedReport[]
  readonly poll?: PollOptions
}

export interface CompletedReport {
  readonly jobId: Id
  readonly leaseToken: LeaseToken
  readonly variables?: Variables
  /** Another name of `variables`. */
  readonly variablesToSet?: {
    readonly [name: string]: unknown
  }
}

export interface FailedReport {
  readonly jobId: Id
  readonly leaseToken: LeaseToken
  /** Default: false. */
  readonly retryable?: boolean
  /** Default: "". */
  readonly errorMessage?: string
  readonly retryAfter?: RetryAfter
  readonly downstreamStatus?: DownstreamStatus
  readonly stack?: Stack
}

export interface ReportResult {
  readonly jobId: string
  /** `stale`: another claim or report came first, nothing changed. `unknown`: no such job. */
  readonly outcome: "accepted" | "stale" | "unknown"
}

export interface ExchangeResult {
  readonly results: readonly ReportResult[]
  readonly jobs: readonly Job[]
}

/** Of a job type or a downstream. */
export type RoutingName = string

export interface EnqueueJob {
  /** Which workers take it; `payload.type` when absent. */
  readonly type?: RoutingName
  readonly payload: {
    readonly [name: string]: unknown
  }
  /** Default: "normal". */
  readonly priority?: Priority
  /** One job per type and key; kept with the job. */
  readonly key?: Key
  /** Not before this much time has passed. */
  readonly delay?: Duration
  /**
   * How long one attempt may run.
   * Default: "PT30S".
   */
  readonly timeout?: Duration
  /**
   * With `minutes` 3 and with `immediate` 0 when absent.
   * Default: 5.
   */
  readonly retries?: number
  /**
   * How the tries are spaced. `jittered`: up to 1, 2, 4 … 60 s. `minutes`: 1, 2, 4 min.
   * Default: "jittered".
   */
  readonly retry?:
    | "jittered"
    | "minutes"
    | "immediate"
    | {
        readonly base?: Duration
        readonly factor?: number
        readonly cap?: Duration
        readonly jitter?: "none" | "partial" | "full"
      }
  /** Jobs take turns by it, such as a tenant's name. */
  readonly fair_key?: Key
  /** At most `max` jobs of this key at a time. */
  readonly limit?: {
    readonly key: Key
    readonly max: number
  }
  /** One job per type and key within a window: another is refused with 409, or takes its place (`debounce`). A debounced job waits for the window or its `delay`, whichever is longer; another never makes it earlier. */
  readonly unique?: {
    readonly key: Key
    readonly for: Duration
    /** Default: "refuse". */
    readonly mode?: "refuse" | "debounce"
  }
  /** The system it calls, whose limits it keeps to. */
  readonly downstream?: RoutingName
}

export interface EnqueueJobs {
  readonly jobs: readonly EnqueueJob[]
}

export interface EnqueuedJobs {
  readonly ids: readonly Id[]
}

export interface CancelJob {
  readonly reason?: string
}

export type StandaloneStatus = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED"

export interface StandaloneJob {
  readonly id: Id
  readonly type: RoutingName
  /** That it was enqueued with, or its `Idempotency-Key`. */
  readonly key?: Key
  readonly status: StandaloneStatus
  readonly priority: Priority
  readonly payload: {
    readonly [name: string]: unknown
  }
  readonly result: {
    readonly [name: string]: unknown
  } | null
  readonly retry_count: number
  /** Of the last attempt that failed. */
  readonly error: string | null
  readonly created_at: Time
  readonly updated_at: Time
  /** When it is ready, where it waits for a time. */
  readonly due_at?: Time
  /** Who has it, or had it last. */
  readonly worker_id?: string
  /** The job whose dead letter was replayed as this one. */
  readonly replay_of?: Id
}

/** Joined by "and"; at least one, so that a mistake does not cancel everything. */
export interface InstanceFilter {
  readonly definitionId?: DefinitionId
  readonly version?: number
  readonly status?: InstanceStatus
  readonly businessKey?: Key
  readonly startedAfter?: Time
  readonly startedBefore?: Time
  readonly failure?: string
}

export interface BulkRequest {
  readonly action: "cancel" | "retry"
  readonly filter: InstanceFilter
  /**
   * Count what matches, and change nothing.
   * Default: false.
   */
  readonly dryRun?: boolean
  /** Kept as `failureReason` of what is cancelled. */
  readonly reason?: ReasonText
}

export interface Bulk {
  readonly id: Id
  readonly action: "cancel" | "retry" | "replay" | "discard"
  readonly dryRun: boolean
  readonly matched: number
  /** What was dealt with elsewhere meanwhile is in neither count. */
  readonly done: number
  readonly failed: number
  readonly finished: boolean
  readonly createdAt: Time
  readonly finishedAt?: Time
}

export type ScheduleId = string

/**
 * Minute, hour, day of month, month, day of week, or 6 fields with the second first; also `@hourly`, `@daily`, `@weekly`,
 * `@monthly`, `@yearly`. When day of month and day of week are both given, either is enough.
 */
export type Cron = string

/** An IANA name, or UTC. */
export type TimeZone = string

/**
 * When the work of the run before has not ended: `skip` this tick; `queue`, and let one run wait for it (with `catchUp` `all`
 * up to 1,000); `cancel` it and start.
 */
export type Overlap = "skip" | "queue" | "cancel"

/**
 * Of the ticks that were missed while no engine ran, for more than 30 seconds: `none` is made up for, the `last` one, or `all`
 * of them one after the other, at most the newest 1,000.
 */
export type CatchUp = "none" | "last" | "all"

/** Either definitionId or jobType. */
export interface ScheduleRequest {
  readonly id?: ScheduleId
  readonly cron: Cron
  readonly timezone?: TimeZone
  readonly definitionId?: DefinitionId
  readonly jobType?: RoutingName
  /** The variables of the instance, or the payload of the job. */
  readonly input?: {
    readonly [name: string]: unknown
  }
  readonly priority?: Priority
  readonly overlap?: Overlap
  readonly catchUp?: CatchUp
  /** Default: true. */
  readonly enabled?: boolean
}

/** At least one of them. */
export interface ScheduleChange {
  readonly cron?: Cron
  readonly timezone?: TimeZone
  readonly definitionId?: DefinitionId
  readonly jobType?: RoutingName
  /** The variables of the instance, or the payload of the job; the whole of it. */
  readonly input?: {
    readonly [name: string]: unknown
  }
  readonly priority?: Priority
  readonly overlap?: Overlap
  readonly catchUp?: CatchUp
  readonly enabled?: boolean
}

export interface Schedule {
  readonly id: ScheduleId
  readonly cron: Cron
  readonly timezone: TimeZone
  readonly definitionId?: DefinitionId
  readonly jobType?: RoutingName
  /** Left out for a key that may not read what it starts, by `instances:read` or `jobs:read`. */
  readonly input?: {
    readonly [name: string]: unknown
  }
  readonly priority?: Priority
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  readonly enabled: boolean
  readonly lastFiredAt?: Time
  readonly lastWorkId?: Id
  /** What became of its last run, as in its history. Answers to a change leave it out. */
  readonly lastOutcome?: "started" | "skipped" | "queued" | "failed"
  /** Why the last run failed. */
  readonly lastDetail?: string
  readonly nextAt?: Time
  /** The times after `nextAt`. */
  readonly upcoming: readonly Time[]
  readonly changedAt: Time
  readonly changedBy: string
}

export interface SchedulePage {
  readonly items: readonly Schedule[]
  readonly nextCursor?: string
}

export interface ScheduleRun {
  readonly dueAt: Time
  readonly firedAt: Time
  readonly cause: "cron" | "manual"
  /** `queued`: it waits for the run before. `failed`: what it should start could not be; `detail` says why. */
  readonly outcome: "started" | "skipped" | "queued" | "failed"
  /** The instance or the job. */
  readonly workId?: Id
  readonly detail?: string
}

export interface ScheduleRunPage {
  readonly items: readonly ScheduleRun[]
  readonly nextCursor?: string
}

export type Share = number

export interface Weights {
  readonly critical: Share
  readonly high: Share
  readonly normal: Share
}

export interface NewWeights extends Weights {
  /** Of the weights that they are to replace; without it, whatever there is. */
  readonly version?: string
}

/** `database`: set at run time. */
export type Source = "database" | "config"

export interface WeightsInForce extends Weights {
  readonly source: Source
  /** Names these weights: a change that sends it back replaces no others. */
  readonly version?: string
  /** When they were chosen, or reset. */
  readonly changed_at?: Time
  readonly changed_by?: string
}

export type Depth = number

export interface ResetToConfig {
  readonly reset: true
  readonly source: "config"
}

export interface Watermark {
  readonly high: number
  /** Below `high`. */
  readonly low: number
}

export interface Watermarks {
  readonly critical?: Watermark
  readonly high?: Watermark
  readonly normal?: Watermark
  readonly total?: Watermark
}

export interface WatermarkInForce extends Watermark {
  readonly source: Source
  /** When it was chosen, or reset. */
  readonly changed_at?: Time
  readonly changed_by?: string
}

export interface WatermarksInForce {
  readonly critical: WatermarkInForce
  readonly high: WatermarkInForce
  readonly normal: WatermarkInForce
  readonly total: WatermarkInForce
}

export interface Gate {
  readonly depth: Depth
  readonly high_watermark: number
  readonly low_watermark: number
  /** A job that comes now is refused. */
  readonly shut: boolean
}

export interface QueueMetrics {
  readonly depths: {
    readonly critical: Depth
    readonly high: Depth
    readonly normal: Depth
  }
  readonly total: Depth
  /** Of a priority, as configured. */
  readonly high_watermark: number
  /** Of a priority, as configured. */
  readonly low_watermark: number
  /** Jobs of at least one priority are taken. */
  readonly accepting_jobs: boolean
  /** At least one gate is shut. */
  readonly backpressure_active: boolean
  /** Dead letters, counted to 10,000. */
  readonly dlq_depth: number
  readonly dlq_depth_is_exact: boolean
  readonly gates: {
    readonly critical: LaneGate
    readonly high: LaneGate
    readonly normal: LaneGate
    readonly total: Gate
  }
}

export interface LaneGate extends Gate {
  readonly oldest_waiting_seconds: OldestWaiting
}

/** Since the one that is next in line and oldest was made, a standalone job or a step; null where nothing is ready. */
export type OldestWaiting = number | null

export type ReasonText = string

export interface Reason {
  readonly reason?: ReasonText
}

export interface PausedQueue {
  readonly name: Priority
  readonly paused: true
  readonly reason?: ReasonText
  readonly paused_by: string
  readonly paused_at: Time
}

export interface ResumedQueue {
  readonly name: Priority
  readonly paused: false
}

export type PauseKind = "queue" | "jobType" | "definition" | "downstream"

export interface PauseRequest {
  readonly kind: PauseKind
  readonly name: Key
  readonly reason?: ReasonText
}

export interface Pause {
  readonly kind: PauseKind
  readonly name: Key
  readonly reason?: ReasonText
  readonly pausedBy: string
  readonly pausedAt: Time
}

export interface PauseList {
  readonly items: readonly Pause[]
}

export interface DownstreamLimits {
  /** Jobs handed out each second. */
  readonly perSecond?: number
  /** Jobs in flight at once. */
  readonly concurrency?: number
  /**
   * Slow down when it pushes back.
   * Default: false.
   */
  readonly adaptive?: boolean
}

export interface Downstream {
  readonly name: Key
  readonly perSecond?: number
  readonly concurrency?: number
  readonly adaptive: boolean
  /** What is left of its limits after it pushed back. */
  readonly share: number
  /** The pace it is given now. */
  readonly effectivePerSecond?: number
  readonly slowedAt?: Time
  readonly closedUntil?: Time
  readonly inFlight: number
  /** Ready jobs, counted to 1,000. */
  readonly waiting: number
  readonly waitingIsExact: boolean
  readonly changedAt?: Time
  readonly changedBy?: string
}

export interface DownstreamList {
  readonly items: readonly Downstream[]
}

/** Events with the same key are delivered in the order in which they were published. */
export type EventKey = string

export type EventType = string

export interface NewEvent {
  readonly type: EventType
  readonly payload: Variables
  readonly key?: EventKey
  /** For what belongs to the delivery: names of letters, digits, _ and -, texts of printable ASCII, 8 KiB in all. */
  readonly headers?: {
    readonly [name: string]: string
  }
}

export interface NewEvents {
  readonly events: readonly NewEvent[]
}

export interface PublishedEvent {
  readonly id: Id
}

export interface PublishedEvents {
  readonly ids: readonly Id[]
}

export interface ParkedEvent {
  readonly id: Id
  readonly sink: Key
  readonly type: string
  readonly key?: string
  /** What the sink said of it last. */
  readonly reason: string
  readonly attempts: number
  readonly publishedAt: Time
  readonly parkedAt: Time
  /** When it is tried again by itself. */
  readonly nextAt?: Time
  /** It was not sent: an earlier one of its key is parked. */
  readonly isBehind: boolean
}

export interface ParkedEventPage {
  readonly items: readonly ParkedEvent[]
  readonly nextCursor?: string
}

export interface ReplayedEvent {
  readonly sink: Key
  readonly id: Id
}

/** Filters are ANDed. */
export interface ParkedEventFilter {
  readonly sink: Key
  readonly type?: Key
  readonly key?: EventKey
}

export interface ParkedChangeRequest {
  readonly filter: ParkedEventFilter
  /** Default: false. */
  readonly dryRun?: boolean
}

export interface ParkedChange {
  readonly dryRun: boolean
  readonly matched: number
  /** At most 10,000 at a time. */
  readonly changed: number
}

export interface Sink {
  readonly name: Key
  readonly kind: "in-process" | "http" | "kafka"
  /** Everything up to it was sent, is parked, or is not for this sink. */
  readonly place: number
  /** Events behind it, at most. */
  readonly depth: number
  /** Age of the oldest of them. */
  readonly lagSeconds: number
  readonly parked: number
  /** Events it has passed each second of the last minute. */
  readonly perSecond: number
  /** The process that sends to it; none while no process does. */
  readonly leader?: string
  /** How often in a row it took nothing. */
  readonly failures: number
  readonly lastError?: string
  readonly retryAt?: Time
  readonly createdAt: Time
  readonly movedAt?: Time
}

export interface SinkList {
  readonly items: readonly Sink[]
}

export interface ForgetSink {
  readonly reason: ReasonText
  /** Default: false. */
  readonly force?: boolean
}

export interface JobTypeSettings {
  readonly timeout?: Duration
  readonly largePayload?: LargePayload
}

/**
 * What becomes of a job whose variables are larger than a message of Kafka may be: it fails with the reason, or is dispatched
 * without them, and the worker asks for them. For fleets of workers that can: those of this version's SDKs.
 * Default: "fail".
 */
export type LargePayload = "fail" | "reference"

export interface JobType {
  readonly name: Key
  readonly timeout?: Duration
  readonly largePayload?: LargePayload
  readonly lastPolledAt?: Time
  /** In the list: jobs and steps that wait for a worker, counted to 10,000. */
  readonly ready?: number
  /** In the list: those that workers have, counted to 10,000 over all types. */
  readonly leased?: number
  /** In the list: when an operator changed it last. */
  readonly changedAt?: Time
  readonly changedBy?: string
}

export interface JobTypeList {
  readonly items: readonly JobType[]
}

export interface Rates {
  /** Instances that were started. */
  readonly started: number
  /** Instances that ended COMPLETED. */
  readonly completed: number
  /** Instances that ended FAILED. */
  readonly failed: number
  /** Instances that were cancelled. */
  readonly cancelled: number
  /** Step executions that ended. */
  readonly steps: number
  /** Standalone jobs that were taken in. */
  readonly jobsEnqueued: number
  /** Standalone jobs that were completed. */
  readonly jobsCompleted: number
  /** Their attempts that failed and are made again. */
  readonly jobsFailed: number
  /** Standalone jobs that were given up. */
  readonly jobsDead: number
  /** Requests for jobs that were refused because a queue was full. */
  readonly rejected: number
}

export interface GateInView {
  readonly depth: Depth
  readonly highWatermark: number
  readonly lowWatermark: number
  /** New jobs are refused. */
  readonly shut: boolean
}

export interface LaneInView extends GateInView {
  readonly name: Priority
  readonly paused: boolean
  /** Its share of the claims. */
  readonly weight: number
  /** Jobs and steps that workers were given. */
  readonly claimedPerSecond: number
  /** Jobs of workflow steps, which wait or are with workers. No gate counts them: they are not part of `depth`. */
  readonly steps: number
  readonly oldestWaitingSeconds: OldestWaiting
}

export interface DownstreamInView {
  readonly name: Key
  readonly perSecond?: number
  readonly concurrency?: number
  readonly inFlight: number
  /** Jobs and steps for it that no worker has. */
  readonly waiting: number
  /** Jobs and steps for it that workers were given. */
  readonly startedPerSecond: number
  /** It asked to be left alone until then. */
  readonly pushedBackUntil?: Time
  readonly paused: boolean
}

/** By which work comes in. `library`: code in the caller's own process. `sql`: the functions of the database. */
export type Door = "rest" | "grpc" | "library" | "kafka" | "schedule" | "sql"

export interface DoorInView {
  readonly door: Door
  /** Jobs and instances. */
  readonly acceptedPerSecond: number
  /** Jobs that found their gate shut. */
  readonly refusedPerSecond: number
}

export interface Overview {
  readonly at: Time
  /** Per second, over the last four that are over. */
  readonly rates: Rates
  /** By door, over the same time as `rates`. */
  readonly intake: readonly DoorInView[]
  /** critical, high, normal. */
  readonly lanes: readonly LaneInView[]
  readonly total: GateInView
  readonly leases: number
  readonly leasesAreExact: boolean
  /** Those with a lease or that ask for work. */
  readonly workers: number
  /** Those of them with a lease. */
  readonly busyWorkers: number
  readonly deadLetters: number
  readonly deadLettersAreExact: boolean
  readonly openUserTasks: number
  readonly openUserTasksAreExact: boolean
  /** Open and past their due time. */
  readonly overdueUserTasks: number
  /** The busiest first. */
  readonly downstreams: readonly DownstreamInView[]
}

/** What the stream tells of an instance. */
export interface InstanceChange {
  readonly id: Id
  /** Another one with every change. */
  readonly version: number
  readonly status: InstanceStatus
}

/** So many in each step. */
export type CountsByTime = readonly number[]

/** As last seen in each step; null as long as no process has looked. */
export type GaugeByTime = readonly (number | null)[]

export interface Stats {
  readonly window: "PT15M" | "PT1H" | "P1D"
  readonly stepSeconds: 2 | 10 | 300
  readonly from: Time
  readonly to: Time
  readonly series: Series
}

export interface Series {
  /** When each step begins, in seconds since 1970. */
  readonly at: readonly number[]
  readonly started: CountsByTime
  readonly completed: CountsByTime
  readonly failed: CountsByTime
  readonly cancelled: CountsByTime
  readonly steps: CountsByTime
  readonly jobsEnqueued: CountsByTime
  readonly jobsCompleted: CountsByTime
  readonly jobsFailed: CountsByTime
  readonly jobsDead: CountsByTime
  readonly rejected: CountsByTime
  readonly depthCritical: GaugeByTime
  readonly depthHigh: GaugeByTime
  readonly depthNormal: GaugeByTime
  readonly leased: GaugeByTime
  readonly deadLetters: GaugeByTime
}

export interface WorkerInView {
  readonly workerId: string
  readonly inFlight: number
  /** Those that it asks for; of its jobs, where it was not seen asking. */
  readonly jobTypes: readonly string[]
  /** When it claimed the oldest job it has. */
  readonly since?: Time
  /** Its last poll, claim or heartbeat. */
  readonly lastSeenAt?: Time
  /** Its first poll; forgotten an hour after its last. */
  readonly firstSeenAt?: Time
  /** It asks for work. */
  readonly polling: boolean
}

export interface PolledJobType {
  readonly jobType: string
  readonly lastPolledAt: Time
}

export interface WorkerList {
  readonly items: readonly WorkerInView[]
  readonly polled: readonly PolledJobType[]
}

export interface Liveness {
  readonly status: "ok"
}

export interface DebugConfig {
  readonly settings: readonly {
    /** The variable of the environment. */
    readonly name: string
    /** As it is shown; empty where there is none. */
    readonly value: string
    readonly source: "default" | "yaml" | "env"
  }[]
}

export interface ContractDocument {
  readonly openapi: string
  readonly info: {
    readonly [name: string]: unknown
  }
  readonly paths: {
    readonly [name: string]: unknown
  }
  readonly [name: string]: unknown
}

export interface Readiness {
  readonly status: "ready" | "starting" | "draining" | "unavailable"
}

/** At most this many calls in any interval of this length. */
export interface CallLimit {
  readonly requests: number
  readonly windowSeconds: number
}

export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: Time
  readonly expiresAt?: Time
  readonly revokedAt?: Time
  readonly lastUsedAt?: Time
  readonly limit?: CallLimit
}

export interface ApiKeyList {
  readonly items: readonly ApiKey[]
}

export interface ApiKeyRequest {
  /** Letters, digits, spaces and . : @ _ - */
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: Time
  readonly limit?: CallLimit
}

export interface NewApiKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: Time
  readonly expiresAt?: Time
  readonly revokedAt?: Time
  readonly lastUsedAt?: Time
  readonly limit?: CallLimit
  /** Absent in the answer to a repeat. */
  readonly key?: string
}

export type GuardRule =
  | "blocked-address"
  | "blocked-agent"
  | "rate"
  | "failures-by-address"
  | "failures-by-user"
  | "regularity"

export type UserAgent = string

export interface BlockRequest {
  readonly reason?: ReasonText
  readonly for?: Duration
}

export interface BlockAgentRequest {
  readonly user_agent?: UserAgent
  readonly reason?: ReasonText
  readonly for?: Duration
}

export interface HardBlocked {
  /** The address as it counts: of IPv6 its /64. */
  readonly hard_blocked: string
}

export interface SoftBlocked {
  /** The address as it counts: of IPv6 its /64. */
  readonly soft_blocked: string
}

export interface BlockedAgent {
  readonly blocked_agent: string
}

export interface Unblocked {
  readonly unblocked: string
  /** Whether there was a block to lift. */
  readonly was_blocked: boolean
}

export interface Block {
  /** hard: refused until it is lifted; soft: for a while. */
  readonly degree: "hard" | "soft"
  /** A subject is a client as the guard counts it. */
  readonly kind: "address" | "agent" | "subject"
  readonly value: string
  readonly reason: string
  readonly rule?: GuardRule
  /** Absent where the rule itself has done it. */
  readonly blocked_by?: string
  readonly blocked_at: Time
  readonly blocked_until?: Time
}

export interface BlockPage {
  readonly items: readonly Block[]
  readonly next_cursor?: string
}

export interface ShadowMode {
  /** Whether rules that are not named only note. */
  readonly all: boolean
  /** Rules that were set by themselves. */
  readonly rules: {
    readonly [name: string]: boolean
  }
  readonly source: "database" | "config"
  readonly changed_by?: string
  readonly changed_at?: Time
}

export interface ShadowStats {
  readonly total: number
  readonly by_rule: {
    readonly [name: string]: number
  }
}

export interface ShadowReport {
  readonly items: readonly {
    readonly hour: Time
    readonly rule: GuardRule
    readonly client: string
    /** The pattern of the route. */
    readonly path: string
    readonly count: number
    readonly last_at: Time
    readonly last_request_id: string
    readonly last_reason: string
  }[]
  readonly next_cursor?: string
}

export interface GuardReason {
  readonly rule: GuardRule
  readonly reason: string
  /** The operator who did it. */
  readonly by?: string
  readonly until?: Time
}

export interface GuardCount {
  /** What is counted. */
  readonly name: string
  readonly count: number
  readonly limit?: number
  readonly window_seconds?: number
}

export interface ClientStatus {
  /** The client as the guard counts it. */
  readonly subject: string
  readonly soft_blocked: boolean
  readonly reasons: readonly GuardReason[]
  readonly counts: readonly GuardCount[]
}

export interface BlockStatus {
  /** The address as it counts: of IPv6 its /64. */
  readonly ip: string
  readonly soft_blocked: boolean
  /** Whether it is blocked until an operator lifts it. */
  readonly hard_blocked_bloom: boolean
  readonly subject: string
  readonly reasons: readonly GuardReason[]
  readonly counts: readonly GuardCount[]
}

export interface GuardCaller {
  readonly name: string
  readonly requests: number
  readonly refused: number
}

export interface GuardState {
  /** Where it is off the answer has nothing else. */
  readonly is_on: boolean
  readonly store?: "memory" | "redis"
  readonly store_is_up?: boolean
  readonly fail_mode?: "open" | "closed"
  readonly shadow?: ShadowMode
  readonly limits?: {
    readonly [name: string]: {
      readonly requests: number
      readonly window_seconds: number
    }
  }
  readonly blocked_addresses?: number
  readonly blocked_agents?: number
  readonly traffic?: readonly {
    readonly at: Time
    readonly allowed: number
    readonly throttled: number
    readonly soft_blocked: number
    readonly hard_blocked: number
    readonly shadowed: number
  }[]
  readonly top_clients?: readonly GuardCaller[]
  readonly top_addresses?: readonly GuardCaller[]
}

export interface Health {
  readonly status: "ok" | "degraded"
  /** Left out for a caller without a key where one is needed. */
  readonly components?: {
    /** Whether the database answers now. */
    readonly postgres: "ok" | "unreachable"
    /** Whether this process has had its pulse, by which it leads loops and finds work. */
    readonly pulse: "ok" | "late"
    readonly process: "ok" | "draining"
    /** The guard's counters, where they are in Redis. The process works without it. */
    readonly redis?: "ok" | "unreachable"
    readonly [name: string]: string | undefined
  }
  /** Left out where the guard is off, and for a caller without a key where one is needed. */
  readonly guard?: {
    readonly store: "memory" | "redis"
    /** Addresses that the filter was loaded with. */
    readonly blocked_addresses: number
    readonly blocked_agents: number
  }
  /** Connections to the database; left out as the components are. */
  readonly pool?: {
    readonly size: number
    readonly idle: number
    readonly waiting: number
    readonly most: number
  }
}

/** The query of GET /v1/definitions. */
export interface ListDefinitionsQuery {
  /** Part of the id or the name; case does not matter. */
  readonly keyword?: string
  /**
   * The page, from 0.
   * Default: 0.
   */
  readonly page?: number
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
}

/** The query of GET /v1/definitions/{definitionId}/activity. */
export interface GetDefinitionActivityQuery {
  /**
   * Steps that are open for longer than this are counted as `older`.
   * Default: "PT30M".
   */
  readonly olderThan?: Duration
}

/** The query of GET /v1/instances. */
export interface ListInstancesQuery {
  /** Only instances of this definition. */
  readonly definitionId?: DefinitionId
  /** Only instances of this version of the definition. */
  readonly version?: number
  /** Only instances in this status. */
  readonly status?: InstanceStatus
  /** Only instances with exactly this business key. */
  readonly businessKey?: Key
  /** Only instances started at or after this moment. */
  readonly startedAfter?: Time
  /** Only instances started before this moment. */
  readonly startedBefore?: Time
  /** Only failed instances whose error has this fingerprint. */
  readonly failure?: string
  /**
   * The page, from 0.
   * Default: 0.
   */
  readonly page?: number
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `nextCursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of GET /v1/search. */
export interface SearchInstancesQuery {
  /** The beginning of a key, a business key or an id. */
  readonly prefix: string
  /**
   * How many instances are told at most.
   * Default: 8.
   */
  readonly limit?: number
}

/** The query of GET /v1/instances/{instanceId}/audit. */
export interface GetInstanceAuditQuery {
  /**
   * Only the lines after this one.
   * Default: 0.
   */
  readonly afterSeq?: number
}

/** The query of POST /v1/intake/{definitionId}. */
export interface TakeIntakeQuery {
  /** An event that the run may have to wait for; `POST /v1/wakeups` with it cuts the wait short. */
  readonly linkingId?: Key
}

/** The query of GET /v1/user-tasks. */
export interface ListUserTasksQuery {
  /** Only tasks in this status. */
  readonly status?: UserTaskStatus
  /** Only tasks of this person. */
  readonly assignee?: Key
  /** Only tasks of this group. */
  readonly group?: Key
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `nextCursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of GET /v1/jobs. */
export interface ListJobsQuery {
  /**
   * Only jobs in this status.
   * Default: "ready".
   */
  readonly status?: LiveJobStatus
  /** Only jobs of this type. */
  readonly jobType?: Key
  /** Only jobs of this priority. */
  readonly priority?: Priority
  /** Only standalone jobs that were enqueued with a key that begins so, in the order of their types and keys. 1,000 keys are looked at for one page. */
  readonly keyPrefix?: Key
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `nextCursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of GET /v1/jobs/ended. */
export interface ListEndedJobsQuery {
  /** Only jobs that ended so. */
  readonly status?: EndedJobStatus
  /** Only jobs of this type. */
  readonly jobType?: Key
  /** Only jobs of this priority. */
  readonly priority?: Priority
  /** Only standalone jobs that were enqueued with a key that begins so, in the order of their types and keys. 1,000 keys are looked at for one page. */
  readonly keyPrefix?: Key
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `nextCursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of GET /queues/dlq. */
export interface ListDeadLettersQuery {
  /** Of this job type. */
  readonly type?: Key
  /** Of this priority. */
  readonly priority?: Priority
  /** Steps of this definition. */
  readonly definition_id?: DefinitionId
  /** With this fingerprint of the error. */
  readonly error?: Fingerprint
  /** Dead since this time. */
  readonly since?: Time
  /** Dead before this time. */
  readonly before?: Time
  /**
   * Items a page.
   * Default: 20.
   */
  readonly limit?: number
  /** The `next_cursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of GET /queues/dlq/groups. */
export interface GroupDeadLettersQuery {
  /** Dead since this time. */
  readonly since?: Time
  /** Dead before this time. */
  readonly before?: Time
}

/** The query of GET /v1/schedules. */
export interface ListSchedulesQuery {
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `nextCursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of GET /v1/schedules/{scheduleId}/runs. */
export interface ListScheduleRunsQuery {
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `nextCursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of GET /v1/events/parked. */
export interface ListParkedEventsQuery {
  /** Of this sink. */
  readonly sink?: Key
  /** Of this type. */
  readonly type?: Key
  /** With this key. */
  readonly key?: EventKey
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `nextCursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of GET /v1/stream. */
export interface OpenStreamQuery {
  /** An instance to watch, up to 20 times; needs the scope `instances:read` too. */
  readonly instanceId?: readonly Id[]
}

/** The query of GET /v1/stats. */
export interface GetStatsQuery {
  /**
   * How far back: in steps of 2, 10 or 300 seconds.
   * Default: "PT15M".
   */
  readonly window?: "PT15M" | "PT1H" | "P1D"
}

/** The query of GET /auth/oidc/callback. */
export interface FinishProviderSignInQuery {
  /** What the browser was sent away with. */
  readonly state?: string
  /** What the provider gives for the sign-in. */
  readonly code?: string
  /** What the provider calls itself. */
  readonly iss?: string
  /** Why the provider did not sign the person in. */
  readonly error?: string
}

/** The query of GET /admin/guard. */
export interface GetGuardQuery {
  /**
   * How far back the traffic goes.
   * Default: "PT1H".
   */
  readonly window?: "PT15M" | "PT1H" | "P1D"
}

/** The query of GET /admin/blocks. */
export interface ListBlocksQuery {
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `next_cursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of POST /admin/shadow-mode. */
export interface SetShadowModeQuery {
  /** Whether to note only. */
  readonly enabled: "true" | "false"
  /** One rule by itself; without it all of them. */
  readonly rule?: GuardRule
}

/** The query of GET /admin/shadow-report. */
export interface GetShadowReportQuery {
  /** By this rule. */
  readonly rule?: GuardRule
  /** Of this client, as the report names it. */
  readonly client?: Key
  /**
   * Items a page.
   * Default: 20.
   */
  readonly pageSize?: number
  /** The `next_cursor` of the page before; opaque. */
  readonly cursor?: string
}

/** The query of POST /admin/block-agent. */
export interface BlockAgentQuery {
  /** The whole user agent, in capitals or not; it may be in the body instead. */
  readonly user_agent?: UserAgent
}

/** The query of DELETE /admin/block-agent. */
export interface UnblockAgentQuery {
  /** The whole user agent, in capitals or not; it may be in the body instead. */
  readonly user_agent?: UserAgent
}

/** Every operation by its id: the parts of its path, its query, its body, and what it answers when all went well. */
export interface Operations {
  /** GET /v1/definitions: List definitions, the latest version of each */
  readonly listDefinitions: {
    readonly query: ListDefinitionsQuery
    readonly answer: DefinitionPage
  }
  /** POST /v1/definitions: Upload a definition */
  readonly uploadDefinition: {
    readonly body: Definition
    readonly answer: UploadedDefinition
  }
  /** GET /v1/definitions/{definitionId}: Get the latest version of a definition */
  readonly getDefinition: {
    readonly path: { readonly definitionId: DefinitionId }
    readonly answer: StoredDefinition
  }
  /** GET /v1/definitions/{definitionId}/versions: List the versions of a definition, newest first */
  readonly listDefinitionVersions: {
    readonly path: { readonly definitionId: DefinitionId }
    readonly answer: DefinitionVersions
  }
  /** GET /v1/definitions/{definitionId}/activity: See at which steps the live instances of a definition stand */
  readonly getDefinitionActivity: {
    readonly path: { readonly definitionId: DefinitionId }
    readonly query: GetDefinitionActivityQuery
    readonly answer: DefinitionActivity
  }
  /** GET /v1/definitions/{definitionId}/versions/{version}: Get one version of a definition */
  readonly getDefinitionVersion: {
    readonly path: { readonly definitionId: DefinitionId; readonly version: number }
    readonly answer: StoredDefinition
  }
  /** GET /v1/instances: List instances, newest first */
  readonly listInstances: {
    readonly query: ListInstancesQuery
    readonly answer: InstancePage
  }
  /** POST /v1/instances: Start an instance */
  readonly startInstance: {
    readonly body: StartInstance
    readonly answer: Instance
  }
  /** GET /v1/instances/{instanceId}: Get an instance */
  readonly getInstance: {
    readonly path: { readonly instanceId: Id }
    readonly answer: Instance
  }
  /** GET /v1/instances/{instanceId}/history: List the step executions of an instance, oldest first */
  readonly getInstanceHistory: {
    readonly path: { readonly instanceId: Id }
    readonly answer: History
  }
  /** GET /v1/search: Find instances by the beginning of a key, a business key or an id */
  readonly searchInstances: {
    readonly query: SearchInstancesQuery
    readonly answer: Found
  }
  /** GET /v1/instances/{instanceId}/steps: List the steps of a run, alike for a list, a function and a graph */
  readonly getInstanceSteps: {
    readonly path: { readonly instanceId: Id }
    readonly answer: RunSteps
  }
  /** GET /v1/instances/{instanceId}/audit: Read the audit trail of an instance */
  readonly getInstanceAudit: {
    readonly path: { readonly instanceId: Id }
    readonly query: GetInstanceAuditQuery
    readonly answer: AuditTrail
  }
  /** GET /v1/instances/{instanceId}/waiting: Ask why an instance is not moving */
  readonly getInstanceWaiting: {
    readonly path: { readonly instanceId: Id }
    readonly answer: Waiting
  }
  /** POST /v1/instances/{instanceId}/cancel: Cancel an instance and everything below it */
  readonly cancelInstance: {
    readonly path: { readonly instanceId: Id }
    readonly body?: CancelInstance
    readonly answer: Instance
  }
  /** POST /v1/instances/{instanceId}/user-tasks/{stepId}/complete: Complete the open user task of a step */
  readonly completeUserTask: {
    readonly path: { readonly instanceId: Id; readonly stepId: StepId }
    readonly body?: CompleteUserTask
    readonly answer: void
  }
  /** POST /v1/instances/{instanceId}/signals/{stepId}: Signal a waiting step */
  readonly signalInstance: {
    readonly path: { readonly instanceId: Id; readonly stepId: StepId }
    readonly body?: Variables
    readonly answer: void
  }
  /** POST /v1/instances/{instanceId}/steps/{stepId}/retry: Retry the failed step of a failed instance */
  readonly retryStep: {
    readonly path: { readonly instanceId: Id; readonly stepId: StepId }
    readonly body?: RetryStep
    readonly answer: Instance
  }
  /** POST /v1/instances/{instanceId}/retry: Retry a failed instance at the step that failed it */
  readonly retryInstance: {
    readonly path: { readonly instanceId: Id }
    readonly body?: RetryStep
    readonly answer: Instance
  }
  /** POST /v1/instances/{instanceId}/restart: Start a new instance in the place of one that has ended */
  readonly restartInstance: {
    readonly path: { readonly instanceId: Id }
    readonly body?: RestartInstance
    readonly answer: Instance
  }
  /** POST /v1/intake/{definitionId}: Accept a submission */
  readonly takeIntake: {
    readonly path: { readonly definitionId: DefinitionId }
    readonly query: TakeIntakeQuery
    readonly body: Variables
    readonly answer: TakenIn
  }
  /** GET /v1/intake/{definitionId}/{key}: Get the instance of a submission */
  readonly getIntake: {
    readonly path: { readonly definitionId: DefinitionId; readonly key: IntakeKey }
    readonly answer: Instance
  }
  /** POST /v1/wakeups: Wake the runs that wait for an event */
  readonly wakeRuns: {
    readonly body: WakeRuns
    readonly answer: Woken
  }
  /** GET /v1/user-tasks: List user tasks, oldest first */
  readonly listUserTasks: {
    readonly query: ListUserTasksQuery
    readonly answer: UserTaskPage
  }
  /** GET /v1/user-tasks/{userTaskId}: Get a user task */
  readonly getUserTask: {
    readonly path: { readonly userTaskId: Id }
    readonly answer: UserTask
  }
  /** POST /v1/user-tasks/{userTaskId}/claim: Claim a user task for a person */
  readonly claimUserTask: {
    readonly path: { readonly userTaskId: Id }
    readonly body: ClaimUserTask
    readonly answer: UserTask
  }
  /** POST /v1/user-tasks/{userTaskId}/unclaim: Give a claimed user task back */
  readonly unclaimUserTask: {
    readonly path: { readonly userTaskId: Id }
    readonly body?: UnclaimUserTask
    readonly answer: UserTask
  }
  /** POST /v1/user-tasks/{userTaskId}/delegate: Make a user task that of another person */
  readonly delegateUserTask: {
    readonly path: { readonly userTaskId: Id }
    readonly body: DelegateUserTask
    readonly answer: UserTask
  }
  /** POST /v1/user-tasks/{userTaskId}/due: Change when a user task is due */
  readonly setUserTaskDue: {
    readonly path: { readonly userTaskId: Id }
    readonly body: UserTaskDue
    readonly answer: UserTask
  }
  /** GET /v1/jobs: List live jobs */
  readonly listJobs: {
    readonly query: ListJobsQuery
    readonly answer: LiveJobPage
  }
  /** POST /v1/jobs/poll: Claim jobs */
  readonly pollJobs: {
    readonly body: PollRequest
    readonly answer: PollResult
  }
  /** GET /v1/jobs/ended: List standalone jobs that have ended */
  readonly listEndedJobs: {
    readonly query: ListEndedJobsQuery
    readonly answer: EndedJobPage
  }
  /** GET /v1/jobs/{jobId}/attempts: List the attempts of a standalone job */
  readonly listJobAttempts: {
    readonly path: { readonly jobId: Id }
    readonly answer: JobAttemptList
  }
  /** POST /v1/jobs/{jobId}/rerun: Run a standalone job again */
  readonly rerunJob: {
    readonly path: { readonly jobId: Id }
    readonly answer: RerunJob
  }
  /** POST /v1/jobs/{jobId}/complete: Complete a job */
  readonly completeJob: {
    readonly path: { readonly jobId: Id }
    readonly body: CompleteJob
    readonly answer: void
  }
  /** POST /v1/jobs/complete: Complete a job named in the body */
  readonly completeJobByBody: {
    readonly body: CompleteNamedJob
    readonly answer: void
  }
  /** POST /v1/jobs/{jobId}/fail: Report that a job failed */
  readonly failJob: {
    readonly path: { readonly jobId: Id }
    readonly body: FailJob
    readonly answer: void
  }
  /** POST /v1/jobs/fail: Report that a job named in the body failed */
  readonly failJobByBody: {
    readonly body: FailNamedJob
    readonly answer: void
  }
  /** POST /v1/jobs/{jobId}/heartbeat: Extend the lease of a job */
  readonly heartbeatJob: {
    readonly path: { readonly jobId: Id }
    readonly body: HeartbeatRequest
    readonly answer: HeartbeatResult
  }
  /** GET /v1/jobs/{jobId}/waiting: Ask why a job is not moving */
  readonly explainJobWaiting: {
    readonly path: { readonly jobId: Id }
    readonly answer: Waiting
  }
  /** POST /v1/jobs/exchange: Report jobs and claim more in one round trip */
  readonly exchangeJobs: {
    readonly body: ExchangeRequest
    readonly answer: ExchangeResult
  }
  /** POST /jobs: Put a job into the queue */
  readonly enqueueJob: {
    readonly body: EnqueueJob
    readonly answer: StandaloneJob
  }
  /** POST /jobs/bulk: Put many jobs into the queue */
  readonly enqueueJobs: {
    readonly body: EnqueueJobs
    readonly answer: EnqueuedJobs
  }
  /** GET /jobs/{jobId}: How a job stands, and what came of it */
  readonly getJob: {
    readonly path: { readonly jobId: Id }
    readonly answer: StandaloneJob
  }
  /** POST /jobs/{jobId}/cancel: Cancel a job that has not ended */
  readonly cancelJob: {
    readonly path: { readonly jobId: Id }
    readonly body?: CancelJob
    readonly answer: StandaloneJob
  }
  /** GET /queues/dlq: List dead letters, newest first */
  readonly listDeadLetters: {
    readonly query: ListDeadLettersQuery
    readonly answer: DeadLetterPage
  }
  /** GET /queues/dlq/groups: Which errors they died of, the most frequent first */
  readonly groupDeadLetters: {
    readonly query: GroupDeadLettersQuery
    readonly answer: DeadLetterGroups
  }
  /** POST /queues/dlq/replay: Replay every dead letter that matches */
  readonly replayDeadLetters: {
    readonly body: DeadLetterBulkRequest
    readonly answer: DeadLetterBulk
  }
  /** POST /queues/dlq/discard: Discard every dead letter that matches */
  readonly discardDeadLetters: {
    readonly body: DeadLetterBulkRequest
    readonly answer: DeadLetterBulk
  }
  /** GET /queues/dlq/{deadLetterId}: A dead letter with its payload and all its attempts */
  readonly getDeadLetter: {
    readonly path: { readonly deadLetterId: Id }
    readonly answer: DeadLetterDetail
  }
  /** DELETE /queues/dlq/{deadLetterId}: Discard a dead letter */
  readonly discardDeadLetter: {
    readonly path: { readonly deadLetterId: Id }
    readonly answer: void
  }
  /** POST /queues/dlq/{deadLetterId}/replay: Replay a dead letter */
  readonly replayDeadLetter: {
    readonly path: { readonly deadLetterId: Id }
    readonly answer: ReplayedDeadLetter
  }
  /** POST /v1/instances/bulk: Cancel or retry many instances */
  readonly startBulk: {
    readonly body: BulkRequest
    readonly answer: Bulk
  }
  /** GET /v1/bulk/{bulkId}: Follow a bulk operation */
  readonly getBulk: {
    readonly path: { readonly bulkId: Id }
    readonly answer: Bulk
  }
  /** GET /v1/schedules: List schedules, by id */
  readonly listSchedules: {
    readonly query: ListSchedulesQuery
    readonly answer: SchedulePage
  }
  /** POST /v1/schedules: Make a schedule */
  readonly createSchedule: {
    readonly body: ScheduleRequest
    readonly answer: Schedule
  }
  /** GET /v1/schedules/{scheduleId}: Get a schedule and its next times */
  readonly getSchedule: {
    readonly path: { readonly scheduleId: ScheduleId }
    readonly answer: Schedule
  }
  /** PUT /v1/schedules/{scheduleId}: Make or replace a schedule */
  readonly putSchedule: {
    readonly path: { readonly scheduleId: ScheduleId }
    readonly body: ScheduleRequest
    readonly answer: Schedule
  }
  /** PATCH /v1/schedules/{scheduleId}: Change some of a schedule */
  readonly changeSchedule: {
    readonly path: { readonly scheduleId: ScheduleId }
    readonly body: ScheduleChange
    readonly answer: Schedule
  }
  /** DELETE /v1/schedules/{scheduleId}: Remove a schedule */
  readonly deleteSchedule: {
    readonly path: { readonly scheduleId: ScheduleId }
    readonly answer: void
  }
  /** POST /v1/schedules/{scheduleId}/run: Run a schedule now */
  readonly runSchedule: {
    readonly path: { readonly scheduleId: ScheduleId }
    readonly answer: ScheduleRun
  }
  /** GET /v1/schedules/{scheduleId}/runs: What became of each tick, newest first */
  readonly listScheduleRuns: {
    readonly path: { readonly scheduleId: ScheduleId }
    readonly query: ListScheduleRunsQuery
    readonly answer: ScheduleRunPage
  }
  /** GET /queues/metrics: How many jobs of each priority there are, and which gates are shut */
  readonly getQueueMetrics: {
    readonly answer: QueueMetrics
  }
  /** GET /queues/weights: How the priorities share the claims */
  readonly getWeights: {
    readonly answer: WeightsInForce
  }
  /** PATCH /queues/weights: Change how the priorities share the claims */
  readonly setWeights: {
    readonly body: NewWeights
    readonly answer: WeightsInForce
  }
  /** DELETE /queues/weights: Go back to the configured weights */
  readonly resetWeights: {
    readonly answer: ResetToConfig
  }
  /** GET /queues/watermarks: Where admission stops and goes on */
  readonly getWatermarks: {
    readonly answer: WatermarksInForce
  }
  /** PUT /queues/watermarks: Let admission stop and go on elsewhere */
  readonly setWatermarks: {
    readonly body: Watermarks
    readonly answer: WatermarksInForce
  }
  /** DELETE /queues/watermarks: Go back to the configured watermarks */
  readonly resetWatermarks: {
    readonly answer: ResetToConfig
  }
  /** POST /queues/{name}/pause: Hand out nothing of a priority */
  readonly pauseQueue: {
    readonly path: { readonly name: Priority }
    readonly body?: Reason
    readonly answer: PausedQueue
  }
  /** POST /queues/{name}/resume: Hand out the jobs of a priority again */
  readonly resumeQueue: {
    readonly path: { readonly name: Priority }
    readonly body?: Reason
    readonly answer: ResumedQueue
  }
  /** GET /v1/pauses: What is paused, by whom and why */
  readonly listPauses: {
    readonly answer: PauseList
  }
  /** POST /v1/pauses: Hand out nothing of a priority, a job type, a definition or a downstream */
  readonly pause: {
    readonly body: PauseRequest
    readonly answer: Pause
  }
  /** DELETE /v1/pauses/{kind}/{name}: Hand out what was kept */
  readonly resume: {
    readonly path: { readonly kind: PauseKind; readonly name: Key }
    readonly answer: void
  }
  /** GET /v1/downstreams: What the downstreams can take, and how they stand */
  readonly listDownstreams: {
    readonly answer: DownstreamList
  }
  /** GET /v1/downstreams/{name}: What one downstream can take, and how it stands */
  readonly getDownstream: {
    readonly path: { readonly name: Key }
    readonly answer: Downstream
  }
  /** PUT /v1/downstreams/{name}: Say what a downstream can take */
  readonly setDownstream: {
    readonly path: { readonly name: Key }
    readonly body: DownstreamLimits
    readonly answer: Downstream
  }
  /** DELETE /v1/downstreams/{name}: Lift the limits of a downstream */
  readonly deleteDownstream: {
    readonly path: { readonly name: Key }
    readonly answer: void
  }
  /** GET /v1/job-types: Job types and their settings */
  readonly listJobTypes: {
    readonly answer: JobTypeList
  }
  /** PUT /v1/job-types/{name}: Change the settings of a job type */
  readonly setJobType: {
    readonly path: { readonly name: Key }
    readonly body: JobTypeSettings
    readonly answer: JobType
  }
  /** GET /v1/workers: Who works */
  readonly listWorkers: {
    readonly answer: WorkerList
  }
  /** POST /v1/events: Publish an event */
  readonly publishEvent: {
    readonly body: NewEvent
    readonly answer: PublishedEvent
  }
  /** POST /v1/events/bulk: Publish many events together */
  readonly publishEvents: {
    readonly body: NewEvents
    readonly answer: PublishedEvents
  }
  /** GET /v1/events/parked: List the events that a sink did not take */
  readonly listParkedEvents: {
    readonly query: ListParkedEventsQuery
    readonly answer: ParkedEventPage
  }
  /** POST /v1/events/parked/replay: Send all parked events of a sink again that match */
  readonly replayParkedEvents: {
    readonly body: ParkedChangeRequest
    readonly answer: ParkedChange
  }
  /** POST /v1/events/parked/discard: Discard all parked events of a sink that match */
  readonly discardParkedEvents: {
    readonly body: ParkedChangeRequest
    readonly answer: ParkedChange
  }
  /** DELETE /v1/events/parked/{sink}/{eventId}: Discard a parked event */
  readonly discardParkedEvent: {
    readonly path: { readonly sink: Key; readonly eventId: Id }
    readonly answer: void
  }
  /** POST /v1/events/parked/{sink}/{eventId}/replay: Send a parked event again */
  readonly replayParkedEvent: {
    readonly path: { readonly sink: Key; readonly eventId: Id }
    readonly answer: ReplayedEvent
  }
  /** GET /v1/sinks: Where events go, and how far each sink has come */
  readonly listSinks: {
    readonly answer: SinkList
  }
  /** POST /v1/sinks/{sink}/forget: Forget a sink that is no longer wanted */
  readonly forgetSink: {
    readonly path: { readonly sink: Key }
    readonly body: ForgetSink
    readonly answer: void
  }
  /** GET /v1/overview: How the engine stands */
  readonly getOverview: {
    readonly answer: Overview
  }
  /** GET /v1/stream: Watch the engine, and instances, as they change */
  readonly openStream: {
    readonly query: OpenStreamQuery
    readonly answer: string
  }
  /** GET /v1/stats: How the engine went */
  readonly getStats: {
    readonly query: GetStatsQuery
    readonly answer: Stats
  }
  /** GET /healthz: Is the process alive? */
  readonly getHealth: {
    readonly answer: Liveness
  }
  /** GET /readyz: Can the process take work? */
  readonly getReadiness: {
    readonly answer: Readiness
  }
  /** GET /health: Which part of the process is well, and which is not? */
  readonly getComponents: {
    readonly answer: Health
  }
  /** POST /auth/register: Become a user */
  readonly registerUser: {
    readonly body: NewUser
    readonly answer: User
  }
  /** POST /auth/login: Sign in for a token */
  readonly login: {
    readonly body: PasswordSignIn
    readonly answer: AccessToken
  }
  /** POST /auth/password: Change one's password */
  readonly changePassword: {
    readonly body: PasswordChange
    readonly answer: void
  }
  /** GET /auth/oidc/start: Go to the provider to sign in to the dashboard */
  readonly startProviderSignIn: {
    readonly answer: void
  }
  /** GET /auth/oidc/callback: Come back from the provider */
  readonly finishProviderSignIn: {
    readonly query: FinishProviderSignInQuery
    readonly answer: void
  }
  /** GET /.well-known/jwks.json: The public keys that verify tokens */
  readonly getTokenKeys: {
    readonly answer: TokenKeys
  }
  /** GET /v1/api-keys: API keys, without their secrets */
  readonly listApiKeys: {
    readonly answer: ApiKeyList
  }
  /** POST /v1/api-keys: Make an API key */
  readonly createApiKey: {
    readonly body: ApiKeyRequest
    readonly answer: NewApiKey
  }
  /** DELETE /v1/api-keys/{keyId}: Revoke an API key */
  readonly revokeApiKey: {
    readonly path: { readonly keyId: Key }
    readonly answer: void
  }
  /** GET /admin/guard: How the guard stands, and requests by verdict */
  readonly getGuard: {
    readonly query: GetGuardQuery
    readonly answer: GuardState
  }
  /** GET /admin/blocks: What is blocked now, by operators and by the rules */
  readonly listBlocks: {
    readonly query: ListBlocksQuery
    readonly answer: BlockPage
  }
  /** GET /admin/shadow-mode: Which rules only note what they would refuse */
  readonly getShadowMode: {
    readonly answer: ShadowMode
  }
  /** POST /admin/shadow-mode: Let rules note what they would refuse, or refuse again */
  readonly setShadowMode: {
    readonly query: SetShadowModeQuery
    readonly answer: ShadowMode
  }
  /** GET /admin/shadow-stats: How much shadow mode would have refused in the last 24 hours */
  readonly getShadowStats: {
    readonly answer: ShadowStats
  }
  /** GET /admin/shadow-report: What shadow mode would have refused in the last 24 hours, by rule, client and path */
  readonly getShadowReport: {
    readonly query: GetShadowReportQuery
    readonly answer: ShadowReport
  }
  /** POST /admin/block-ip/{ip}: Refuse an address until it is unblocked */
  readonly blockAddress: {
    readonly path: { readonly ip: string }
    readonly body?: BlockRequest
    readonly answer: HardBlocked
  }
  /** DELETE /admin/block-ip/{ip}: Let a blocked address call again */
  readonly unblockAddress: {
    readonly path: { readonly ip: string }
    readonly answer: Unblocked
  }
  /** POST /admin/soft-block-ip/{ip}: Refuse an address for a while */
  readonly softBlockAddress: {
    readonly path: { readonly ip: string }
    readonly body?: BlockRequest
    readonly answer: SoftBlocked
  }
  /** DELETE /admin/soft-block-ip/{ip}: Lift the soft blocks of an address, and forget what was counted */
  readonly pardonAddress: {
    readonly path: { readonly ip: string }
    readonly answer: Unblocked
  }
  /** POST /admin/pardons/{client}: Lift the soft blocks of a client, and forget what was counted */
  readonly pardonClient: {
    readonly path: { readonly client: Key }
    readonly answer: Unblocked
  }
  /** POST /admin/block-agent: Refuse a user agent until it is unblocked */
  readonly blockAgent: {
    readonly query: BlockAgentQuery
    readonly body?: BlockAgentRequest
    readonly answer: BlockedAgent
  }
  /** DELETE /admin/block-agent: Let a blocked user agent call again */
  readonly unblockAgent: {
    readonly query: UnblockAgentQuery
    readonly answer: Unblocked
  }
  /** GET /admin/block-status/{ip}: Whether an address is blocked, and why, with the numbers */
  readonly getBlockStatus: {
    readonly path: { readonly ip: string }
    readonly answer: BlockStatus
  }
  /** GET /admin/client-status/{client}: Whether a client is blocked, and why, with the numbers */
  readonly getClientStatus: {
    readonly path: { readonly client: Key }
    readonly answer: ClientStatus
  }
  /** GET /v1/session: Who is signed in to the dashboard, and does anybody have to be? */
  readonly getSession: {
    readonly answer: Session
  }
  /** POST /v1/session: Sign in to the dashboard with an API key, or with a user name and a password */
  readonly signIn: {
    readonly body: SignIn
    readonly answer: void
  }
  /** DELETE /v1/session: Sign out of the dashboard */
  readonly signOut: {
    readonly answer: void
  }
  /** GET /: Go to the dashboard */
  readonly openDashboard: {
    readonly answer: void
  }
  /** GET /docs: Go to the dashboard's page about this contract */
  readonly openDocs: {
    readonly answer: void
  }
  /** GET /ui: Go to the dashboard */
  readonly openUi: {
    readonly answer: void
  }
  /** GET /ui/{path}: A file of the dashboard, or its page */
  readonly getDashboardFile: {
    readonly path: { readonly path: string }
    readonly answer: string
  }
  /** GET /metrics: Metrics for Prometheus */
  readonly getMetrics: {
    readonly answer: string
  }
  /** GET /openapi.json: This contract as JSON */
  readonly getOpenApi: {
    readonly answer: ContractDocument
  }
  /** GET /debug/config: What the process was started with, in development only */
  readonly getDebugConfig: {
    readonly answer: DebugConfig
  }
}
