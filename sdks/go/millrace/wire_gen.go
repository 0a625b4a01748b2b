// Code generated from contracts/openapi.yaml by `npm run generate`. DO NOT EDIT.

package millrace

import "time"

// Priority is a schema of the contract.
type Priority string

const (
	PriorityCritical Priority = "critical"

	PriorityHigh Priority = "high"

	PriorityNormal Priority = "normal"
)

// InstanceStatus is a schema of the contract.
type InstanceStatus string

const (
	InstanceStatusActive InstanceStatus = "ACTIVE"

	InstanceStatusWaiting InstanceStatus = "WAITING"

	InstanceStatusCompleted InstanceStatus = "COMPLETED"

	InstanceStatusFailed InstanceStatus = "FAILED"

	InstanceStatusCancelled InstanceStatus = "CANCELLED"
)

// StepStatus is a schema of the contract.
type StepStatus string

const (
	StepStatusRunning StepStatus = "RUNNING"

	StepStatusCompleted StepStatus = "COMPLETED"

	StepStatusFailed StepStatus = "FAILED"

	StepStatusSkipped StepStatus = "SKIPPED"
)

// UserTaskStatus is a schema of the contract.
type UserTaskStatus string

const (
	UserTaskStatusOpen UserTaskStatus = "OPEN"

	UserTaskStatusCompleted UserTaskStatus = "COMPLETED"

	UserTaskStatusCancelled UserTaskStatus = "CANCELLED"
)

// StepType is a schema of the contract.
type StepType string

const (
	StepTypeServiceTask StepType = "SERVICE_TASK"

	StepTypeUserTask StepType = "USER_TASK"

	StepTypeDecision StepType = "DECISION"

	StepTypeTransformation StepType = "TRANSFORMATION"

	StepTypeWait StepType = "WAIT"

	StepTypeParallelGateway StepType = "PARALLEL_GATEWAY"

	StepTypeJoinGateway StepType = "JOIN_GATEWAY"

	StepTypeEnd StepType = "END"
)

// DeadLetter is a schema of the contract.
type DeadLetter struct {
	ID string `json:"id"`

	// A standalone job, or the step of a workflow.
	Source string `json:"source"`

	JobID string `json:"job_id"`

	Type string `json:"type"`

	Priority Priority `json:"priority"`

	Reason string `json:"reason"`

	Error string `json:"error"`

	Fingerprint string `json:"fingerprint"`

	// How often it was handed out.
	Attempts int `json:"attempts"`

	RetryCount int `json:"retry_count"`

	DeadAt time.Time `json:"dead_at"`

	InstanceID string `json:"instance_id,omitzero"`

	DefinitionID string `json:"definition_id,omitzero"`

	StepID string `json:"step_id,omitzero"`

	// Of a standalone job: its own. Of a step: the key that its run was started with; needs the scope `instances:read`.
	Key string `json:"key,omitzero"`

	// That of the instance; needs the scope `instances:read`.
	BusinessKey string `json:"business_key,omitzero"`

	// That of the instance; needs the scope `instances:read`.
	LinkingID string `json:"linking_id,omitzero"`

	// In a list only where it is not large. Of a step it is what its instance knows, and needs the scope `instances:read`.
	Payload map[string]any `json:"payload,omitzero"`
}

// DeadLetterDetail is a schema of the contract.
type DeadLetterDetail struct {
	ID string `json:"id"`

	// A standalone job, or the step of a workflow.
	Source string `json:"source"`

	JobID string `json:"job_id"`

	Type string `json:"type"`

	Priority Priority `json:"priority"`

	Reason string `json:"reason"`

	Error string `json:"error"`

	Fingerprint string `json:"fingerprint"`

	// How often it was handed out.
	Attempts int `json:"attempts"`

	RetryCount int `json:"retry_count"`

	DeadAt time.Time `json:"dead_at"`

	InstanceID string `json:"instance_id,omitzero"`

	DefinitionID string `json:"definition_id,omitzero"`

	StepID string `json:"step_id,omitzero"`

	// Of a standalone job: its own. Of a step: the key that its run was started with; needs the scope `instances:read`.
	Key string `json:"key,omitzero"`

	// That of the instance; needs the scope `instances:read`.
	BusinessKey string `json:"business_key,omitzero"`

	// That of the instance; needs the scope `instances:read`.
	LinkingID string `json:"linking_id,omitzero"`

	// In a list only where it is not large. Of a step it is what its instance knows, and needs the scope `instances:read`.
	Payload map[string]any `json:"payload,omitzero"`

	History []DeadLetterAttempt `json:"history"`
}

// DeadLetterAttempt is a schema of the contract.
type DeadLetterAttempt struct {
	Attempt int `json:"attempt"`

	Outcome string `json:"outcome"`

	Error string `json:"error,omitzero"`

	WorkerID string `json:"worker_id,omitzero"`

	EndedAt time.Time `json:"ended_at"`
}

// DeadLetterPage is a schema of the contract.
type DeadLetterPage struct {
	Items []DeadLetter `json:"items"`

	NextCursor string `json:"next_cursor,omitzero"`
}

// DeadLetterGroup is a schema of the contract.
type DeadLetterGroup struct {
	Fingerprint string `json:"fingerprint"`

	// Of the newest of them.
	Error string `json:"error"`

	Count int `json:"count"`

	CountIsExact bool `json:"count_is_exact"`

	FirstAt time.Time `json:"first_at"`

	LastAt time.Time `json:"last_at"`

	// What died of it most often, among the newest 10,000 entries.
	Sources []DeadLetterSource `json:"sources,omitzero"`

	// How many sources there are.
	SourceCount int `json:"source_count,omitzero"`

	// How many of the newest 10,000 entries died of it in each of 30 equal spans of `period`, the oldest span first.
	OverTime []int `json:"over_time,omitzero"`
}

// DeadLetterSource: A job type, of standalone jobs, or of steps of the definition that is named.
type DeadLetterSource struct {
	DefinitionID string `json:"definition_id,omitzero"`

	Type string `json:"type"`

	Count int `json:"count"`
}

// ReplayedDeadLetter is a schema of the contract.
type ReplayedDeadLetter struct {
	Replayed string `json:"replayed"`

	JobID string `json:"job_id,omitzero"`

	NewMessageID string `json:"new_message_id,omitzero"`
}

// DeadLetterFilter: Filters are ANDed.
type DeadLetterFilter struct {
	Type string `json:"type,omitzero"`

	Priority Priority `json:"priority,omitzero"`

	DefinitionID string `json:"definition_id,omitzero"`

	Error string `json:"error,omitzero"`

	Since time.Time `json:"since,omitzero"`

	Before time.Time `json:"before,omitzero"`
}

// DeadLetterBulk is a schema of the contract.
type DeadLetterBulk struct {
	ID string `json:"id"`

	Action string `json:"action"`

	DryRun bool `json:"dryRun"`

	Matched int `json:"matched"`

	// What was dealt with elsewhere meanwhile is in neither count.
	Done int `json:"done"`

	Failed int `json:"failed"`

	Finished bool `json:"finished"`

	CreatedAt time.Time `json:"createdAt"`

	FinishedAt time.Time `json:"finishedAt,omitzero"`

	// Of a dry run; needs the scope `jobs:read`.
	Examples []DeadLetter `json:"examples,omitzero"`
}

// DeadLetterBulkRequest is a schema of the contract.
type DeadLetterBulkRequest struct {
	Filter DeadLetterFilter `json:"filter"`

	// Default: false.
	DryRun bool `json:"dryRun,omitzero"`
}

// Violation is a schema of the contract.
type Violation struct {
	// JSON path of the offending value.
	Path string `json:"path"`

	Message string `json:"message"`

	// What to do about it.
	Hint string `json:"hint,omitzero"`
}

// Definition is a schema of the contract.
type Definition struct {
	ID string `json:"id"`

	// Accepted and ignored on upload.
	Version int `json:"version,omitzero"`

	UploadedAt time.Time `json:"uploadedAt,omitzero"`

	Name string `json:"name"`

	Description string `json:"description,omitzero"`

	// The first step is the entry.
	Steps []Step `json:"steps"`

	// Default: false.
	AutoStartNextWorkflow bool `json:"autoStartNextWorkflow,omitzero"`

	NextWorkflowID string `json:"nextWorkflowId,omitzero"`

	// Kept and not read.
	Metadata map[string]any `json:"metadata,omitzero"`

	InputSchema *VariableSchema `json:"inputSchema,omitzero"`

	Priority Priority `json:"priority,omitzero"`

	// Default: "graph".
	Execution string `json:"execution,omitzero"`

	// How a step list is retried.
	Recover string `json:"recover,omitzero"`

	Deadline Duration `json:"deadline,omitzero"`

	Retain Duration `json:"retain,omitzero"`

	// What happens to an instance is published as events of the type workflow.events.<id>.
	// Default: false.
	Events bool `json:"events,omitzero"`
}

// DefinitionSummary is a schema of the contract.
type DefinitionSummary struct {
	ID string `json:"id"`

	Version int `json:"version"`

	Name string `json:"name"`

	Description string `json:"description,omitzero"`

	UploadedAt time.Time `json:"uploadedAt"`
}

// Session is a schema of the contract.
type Session struct {
	// False on loopback and wherever keys are off.
	KeyNeeded bool `json:"keyNeeded"`

	SignedIn bool `json:"signedIn"`

	// The name of the key or the user, or `local`.
	Name string `json:"name,omitzero"`

	// What the caller may do.
	Scopes []string `json:"scopes,omitzero"`

	// What the provider to sign in with is called, where there is one: `GET /auth/oidc/start`.
	Provider string `json:"provider,omitzero"`
}

// DefinitionVersion is a schema of the contract.
type DefinitionVersion struct {
	Version int `json:"version"`

	Name string `json:"name"`

	Description string `json:"description,omitzero"`

	UploadedAt time.Time `json:"uploadedAt"`

	// A key's name, or `local`.
	UploadedBy string `json:"uploadedBy"`
}

// StepActivity is a schema of the contract.
type StepActivity struct {
	Version int `json:"version"`

	StepID string `json:"stepId"`

	// How many times the step is open just now.
	Open int `json:"open"`

	// Of those, open for longer than `olderThan`.
	Older int `json:"older"`
}

// DefinitionActivity is a schema of the contract.
type DefinitionActivity struct {
	Items []StepActivity `json:"items"`

	// Live instances that were looked at.
	Instances int `json:"instances"`

	// False where there are more live instances.
	IsExact bool `json:"isExact"`
}

// DefinitionPage is a schema of the contract.
type DefinitionPage struct {
	Items []DefinitionSummary `json:"items"`

	Page int `json:"page"`

	PageSize int `json:"pageSize"`

	Total int `json:"total"`
}

// Step is a schema of the contract.
type Step struct {
	ID string `json:"id"`

	Name string `json:"name"`

	Type StepType `json:"type"`

	Description string `json:"description,omitzero"`

	BoundaryEvents []BoundaryEvent `json:"boundaryEvents,omitzero"`

	JobType string `json:"jobType,omitzero"`

	// Short for `retry.retries`; not both.
	// Default: 0.
	RetryCount int `json:"retryCount,omitzero"`

	Retry *RetryPolicy `json:"retry,omitzero"`

	NextStep string `json:"nextStep,omitzero"`

	ConditionalNextSteps Conditions `json:"conditionalNextSteps,omitzero"`

	// Stored and not used.
	DelegateClass string `json:"delegateClass,omitzero"`

	Timeout *StepTimeouts `json:"timeout,omitzero"`

	OnError OnError `json:"onError,omitzero"`

	Priority Priority `json:"priority,omitzero"`

	Downstream string `json:"downstream,omitzero"`

	OutputSchema *VariableSchema `json:"outputSchema,omitzero"`

	Assignee string `json:"assignee,omitzero"`

	AssigneeGroup string `json:"assigneeGroup,omitzero"`

	DueIn Duration `json:"dueIn,omitzero"`

	Form *VariableSchema `json:"form,omitzero"`

	// Variable → literal or `${expression}`, in order; `${now()}` is the time.
	Transformations Transformations `json:"transformations,omitzero"`

	// A signal that comes before the wait is kept for it; otherwise it is refused with 409.
	// Default: false.
	KeepEarly bool `json:"keepEarly,omitzero"`

	// The wait completes after this time, if no signal has ended it before.
	Duration Duration `json:"duration,omitzero"`

	ParallelNextSteps []string `json:"parallelNextSteps,omitzero"`

	JoinStep string `json:"joinStep,omitzero"`
}

// BoundaryEvent is a schema of the contract.
type BoundaryEvent struct {
	Type string `json:"type"`

	Duration Duration `json:"duration,omitzero"`

	// true: the step is interrupted; false: the target runs beside it.
	// Default: false.
	Interrupting bool `json:"interrupting,omitzero"`

	TargetStepID string `json:"targetStepId"`
}

// RetryPolicy: The n-th retry comes after min(cap, base × factor^(n−1)), with jitter.
type RetryPolicy struct {
	Retries int `json:"retries"`

	Base Duration `json:"base,omitzero"`

	Factor float64 `json:"factor,omitzero"`

	Cap Duration `json:"cap,omitzero"`

	Jitter string `json:"jitter,omitzero"`
}

// StepTimeouts: Of one attempt's run, of the wait for a worker, of the step in total.
type StepTimeouts struct {
	Run Duration `json:"run,omitzero"`

	Queue Duration `json:"queue,omitzero"`

	Total Duration `json:"total,omitzero"`
}

// OnError: `continue`: the failure is recorded and the run goes on.
// Default: "fail".
type OnError string

const (
	OnErrorFail OnError = "fail"

	OnErrorContinue OnError = "continue"
)

// VariableSchema: Strict, without coercion; a subset of JSON Schema. `title` and `description` are for forms.
type VariableSchema struct {
	Type string `json:"type,omitzero"`

	Properties map[string]VariableSchemaProperty `json:"properties,omitzero"`

	Required []string `json:"required,omitzero"`
}

// StartInstance is a schema of the contract.
type StartInstance struct {
	DefinitionID string `json:"definitionId"`

	// Latest when absent.
	DefinitionVersion int `json:"definitionVersion,omitzero"`

	Variables Variables `json:"variables,omitzero"`

	BusinessKey string `json:"businessKey,omitzero"`

	Priority Priority `json:"priority,omitzero"`

	LinkingID string `json:"linkingId,omitzero"`
}

// Instance is a schema of the contract.
type Instance struct {
	ID string `json:"id"`

	DefinitionID string `json:"definitionId"`

	DefinitionVersion int `json:"definitionVersion"`

	Status InstanceStatus `json:"status"`

	CurrentStepIDs []string `json:"currentStepIds"`

	Variables Variables `json:"variables"`

	// What it was started with; only in the answer of `GET /v1/instances/{instanceId}`.
	Input Variables `json:"input,omitzero"`

	StartedAt time.Time `json:"startedAt"`

	CompletedAt time.Time `json:"completedAt,omitzero"`

	// Never empty on a FAILED instance.
	FailureReason string `json:"failureReason,omitzero"`

	BusinessKey string `json:"businessKey,omitzero"`

	// The event that its run may wait for.
	LinkingID string `json:"linkingId,omitzero"`

	// The instance that it follows, belongs to, undoes or takes the place of.
	ParentID string `json:"parentId,omitzero"`

	// The run that undoes its steps; it can be restarted and not retried.
	UndoneBy string `json:"undoneBy,omitzero"`

	// The instance whose place it has taken by a restart; not in lists.
	RestartOf string `json:"restartOf,omitzero"`

	// The instance that has taken its place by a restart, the last of several; not in lists.
	RestartedAs string `json:"restartedAs,omitzero"`

	// Of its jobs.
	Priority Priority `json:"priority"`

	// The key that its run was started with; one run for each key and definition.
	Key string `json:"key,omitzero"`
}

// RestartInstance is a schema of the contract.
type RestartInstance struct {
	// The step to begin with; the first one unless it is given.
	FromStep string `json:"fromStep,omitzero"`

	// Merged over those that it begins with.
	Variables Variables `json:"variables,omitzero"`

	// The latest unless it is given.
	DefinitionVersion int `json:"definitionVersion,omitzero"`
}

// InstancePage is a schema of the contract.
type InstancePage struct {
	Items []Instance `json:"items"`

	// Exact up to 10000.
	Total int `json:"total"`

	TotalIsExact bool `json:"totalIsExact"`

	// Absent on the last page.
	NextCursor string `json:"nextCursor,omitzero"`
}

// StepExecution is a schema of the contract.
type StepExecution struct {
	ID string `json:"id"`

	InstanceID string `json:"instanceId"`

	StepID string `json:"stepId"`

	StepType StepType `json:"stepType"`

	// Counts the entries into this step.
	AttemptNumber int `json:"attemptNumber"`

	Status StepStatus `json:"status"`

	StartedAt time.Time `json:"startedAt"`

	EndedAt time.Time `json:"endedAt,omitzero"`

	FailureReason string `json:"failureReason,omitzero"`

	// What the step changed in the variables.
	Output any `json:"output,omitzero"`

	// The worker that reported its end or holds its job now.
	WorkerID string `json:"workerId,omitzero"`

	// Deliveries that ended before without ending the step, oldest first; the last 1,000 of the instance.
	Attempts []StepAttempt `json:"attempts,omitzero"`
}

// StepAttempt is a schema of the contract.
type StepAttempt struct {
	// As the worker was told it.
	Attempt int `json:"attempt"`

	Outcome string `json:"outcome"`

	Error string `json:"error"`

	EndedAt time.Time `json:"endedAt"`

	WorkerID string `json:"workerId,omitzero"`
}

// FoundInstance is a schema of the contract.
type FoundInstance struct {
	InstanceID string `json:"instanceId"`

	// What begins with the prefix.
	Matched string `json:"matched"`

	// The whole of it.
	Text string `json:"text"`

	// The key that its run was started with.
	Key string `json:"key,omitzero"`

	BusinessKey string `json:"businessKey,omitzero"`

	LinkingID string `json:"linkingId,omitzero"`

	DefinitionID string `json:"definitionId"`

	Status InstanceStatus `json:"status"`
}

// RunSteps is a schema of the contract.
type RunSteps struct {
	Form string `json:"form"`

	// The steps that it works on or waits at, by their own names.
	CurrentSteps []string `json:"currentSteps"`

	Items []RunStep `json:"items"`
}

// RunStep is a schema of the contract.
type RunStep struct {
	ID string `json:"id"`

	StepID string `json:"stepId"`

	StepType StepType `json:"stepType"`

	// Counts the entries into a step of a graph.
	AttemptNumber int `json:"attemptNumber"`

	// `PENDING` has not been reached, `WAITING` holds no worker.
	Status string `json:"status"`

	StartedAt time.Time `json:"startedAt,omitzero"`

	EndedAt time.Time `json:"endedAt,omitzero"`

	FailureReason string `json:"failureReason,omitzero"`

	// Of the error; where the worker has told it.
	Stack string `json:"stack,omitzero"`

	// It has failed and the run went on.
	IsTolerated any `json:"isTolerated,omitzero"`

	// What the step returned; of a graph what it changed in the variables.
	Output any `json:"output,omitzero"`

	WorkerID string `json:"workerId,omitzero"`

	Wait *RunStepWait `json:"wait,omitzero"`

	// The branches of a function that it belongs to, the outermost first.
	Branch []string `json:"branch,omitzero"`

	// The run that it has started.
	ChildID string `json:"childId,omitzero"`

	// Attempts at this step that ended before without ending it, oldest first.
	Attempts []RunStepAttempt `json:"attempts,omitzero"`
}

// RunStepWait is a schema of the contract.
type RunStepWait struct {
	// `sleep`, `signal`, `user-task`, `child`, `retry`, or another kind of `WaitingReason`.
	Kind string `json:"kind"`

	// In words; only while it waits.
	Message string `json:"message,omitzero"`

	DueAt time.Time `json:"dueAt,omitzero"`
}

// RunStepAttempt is a schema of the contract.
type RunStepAttempt struct {
	// As the worker was told it.
	Attempt int `json:"attempt"`

	Outcome string `json:"outcome"`

	Error string `json:"error"`

	Stack string `json:"stack,omitzero"`

	StartedAt time.Time `json:"startedAt,omitzero"`

	EndedAt time.Time `json:"endedAt"`

	WorkerID string `json:"workerId,omitzero"`
}

// AuditEntry is a schema of the contract.
type AuditEntry struct {
	Seq int `json:"seq"`

	At time.Time `json:"at"`

	// A key's name, a worker id, or `local`.
	Actor string `json:"actor"`

	Kind string `json:"kind"`

	Detail map[string]any `json:"detail"`
}

// WaitingReason is a schema of the contract.
type WaitingReason struct {
	// A run that sleeps or waits has not failed: `sleep` until `dueAt`, `signal` for one of `signals`, `child` for its
	// end, `user-task` for a person. `retry` is what has failed: at which attempt, why, and when it is tried again.
	// `returned` was given back by its worker for no fault of its own. `scheduled` is not to begin before `dueAt`.
	// `job-queued` stands in the queue, `job-leased` is with a worker, `job-dispatched` is on its way through Kafka.
	// `paused`, `pace` and `limit` hold it back.
	// `timer` is what will happen beside it at `dueAt`. `set-aside` is work of the engine that failed again and again.
	// There may be more kinds in later versions; `detail.message` says any of them in words.
	Kind string `json:"kind"`

	StepID string `json:"stepId,omitzero"`

	Since time.Time `json:"since"`

	// `message` says it in words, and the facts are what the kind calls for: `step` (of a run), `dueAt`, `signals`,
	// `child` and its `childId`, `task`, `assignee`, `assigneeGroup`, `failures` of `maxAttempts`, `reason`, `leasedUntil`, `workerId`,
	// `position`, `lastPolledAt`, `pausedBy`, `expectedAt`, `refused` (why what came last for a wait was not taken).
	Detail map[string]any `json:"detail"`
}

// TakenIn is a schema of the contract.
type TakenIn struct {
	IdempotencyKey string `json:"idempotencyKey"`
}

// Woken is a schema of the contract.
type Woken struct {
	// Runs that were sitting out a delay.
	Woken int `json:"woken"`
}

// CompleteUserTask: `variables` or `result`, not both.
type CompleteUserTask struct {
	CompletedBy string `json:"completedBy,omitzero"`

	Variables Variables `json:"variables,omitzero"`
}

// UnclaimUserTask is a schema of the contract.
type UnclaimUserTask struct {
	// Who gives it back; without it any holder.
	Assignee string `json:"assignee,omitzero"`
}

// DelegateUserTask is a schema of the contract.
type DelegateUserTask struct {
	// Whose task it is to be.
	Assignee string `json:"assignee"`

	// Who has it now; without it any holder.
	From string `json:"from,omitzero"`
}

// UserTaskDue is a schema of the contract.
type UserTaskDue struct {
	// Without it the task is not due at any time.
	DueAt time.Time `json:"dueAt,omitzero"`
}

// UserTask is a schema of the contract.
type UserTask struct {
	ID string `json:"id"`

	InstanceID string `json:"instanceId"`

	StepID string `json:"stepId"`

	DefinitionID string `json:"definitionId"`

	Name string `json:"name"`

	Status UserTaskStatus `json:"status"`

	// That of the instance.
	BusinessKey string `json:"businessKey,omitzero"`

	// The key that the run was started with.
	Key string `json:"key,omitzero"`

	// That of the instance.
	LinkingID string `json:"linkingId,omitzero"`

	Assignee string `json:"assignee,omitzero"`

	AssigneeGroup string `json:"assigneeGroup,omitzero"`

	DueAt time.Time `json:"dueAt,omitzero"`

	Form *VariableSchema `json:"form,omitzero"`

	// What the task must be completed with.
	OutputSchema *VariableSchema `json:"outputSchema,omitzero"`

	Variables Variables `json:"variables"`

	CreatedAt time.Time `json:"createdAt"`

	CompletedAt time.Time `json:"completedAt,omitzero"`

	CompletedBy string `json:"completedBy,omitzero"`
}

// UserTaskPage is a schema of the contract.
type UserTaskPage struct {
	Items []UserTask `json:"items"`

	// Absent on the last page.
	NextCursor string `json:"nextCursor,omitzero"`
}

// EndedJobStatus is a schema of the contract.
type EndedJobStatus string

const (
	EndedJobStatusCompleted EndedJobStatus = "COMPLETED"

	EndedJobStatusFailed EndedJobStatus = "FAILED"

	EndedJobStatusCancelled EndedJobStatus = "CANCELLED"
)

// EndedJob is a schema of the contract.
type EndedJob struct {
	ID string `json:"id"`

	JobType string `json:"jobType"`

	// That it was enqueued with.
	Key string `json:"key,omitzero"`

	Priority Priority `json:"priority"`

	Status EndedJobStatus `json:"status"`

	CreatedAt time.Time `json:"createdAt"`

	EndedAt time.Time `json:"endedAt"`

	// How many there were.
	Attempts int `json:"attempts"`

	// That ended it.
	WorkerID string `json:"workerId,omitzero"`

	// The beginning of the last one.
	Error string `json:"error,omitzero"`

	// The job whose place it took.
	ReplayOf string `json:"replayOf,omitzero"`
}

// EndedJobPage is a schema of the contract.
type EndedJobPage struct {
	Items []EndedJob `json:"items"`

	// Absent on the last page.
	NextCursor string `json:"nextCursor,omitzero"`
}

// JobAttempt is a schema of the contract.
type JobAttempt struct {
	// As the worker was told it.
	Attempt int `json:"attempt"`

	Outcome string `json:"outcome"`

	EndedAt time.Time `json:"endedAt"`

	WorkerID string `json:"workerId,omitzero"`

	Error string `json:"error,omitzero"`

	// Of the error; where the worker has told it.
	Stack string `json:"stack,omitzero"`
}

// JobAttemptList is a schema of the contract.
type JobAttemptList struct {
	Items []JobAttempt `json:"items"`
}

// RerunJob is a schema of the contract.
type RerunJob struct {
	// The new job.
	JobID string `json:"jobId"`
}

// LiveJobStatus: `ready` waits for a worker, `leased` is with one, `delayed` waits for a time, `held` for a signal or its turn under a limit.
type LiveJobStatus string

const (
	LiveJobStatusReady LiveJobStatus = "ready"

	LiveJobStatusLeased LiveJobStatus = "leased"

	LiveJobStatusDelayed LiveJobStatus = "delayed"

	LiveJobStatusHeld LiveJobStatus = "held"
)

// LiveJob is a schema of the contract.
type LiveJob struct {
	ID string `json:"id"`

	JobType string `json:"jobType"`

	Priority Priority `json:"priority"`

	Status LiveJobStatus `json:"status"`

	// Absent on a standalone job.
	InstanceID string `json:"instanceId,omitzero"`

	// Absent on a standalone job.
	StepID string `json:"stepId,omitzero"`

	// Absent on a standalone job.
	DefinitionID string `json:"definitionId,omitzero"`

	// Of a standalone job: its own. Of a step: the key that its run was started with; needs the scope `instances:read`.
	Key string `json:"key,omitzero"`

	// That of the instance; needs the scope `instances:read`.
	BusinessKey string `json:"businessKey,omitzero"`

	// That of the instance; needs the scope `instances:read`.
	LinkingID string `json:"linkingId,omitzero"`

	CreatedAt time.Time `json:"createdAt"`

	// When a delayed one is due.
	VisibleAt time.Time `json:"visibleAt,omitzero"`

	// Which one it is, or was last; 0 before the first.
	Attempt int `json:"attempt"`

	// Who has the lease.
	WorkerID string `json:"workerId,omitzero"`

	// When the lease ends.
	LockExpiresAt time.Time `json:"lockExpiresAt,omitzero"`
}

// LiveJobPage is a schema of the contract.
type LiveJobPage struct {
	Items []LiveJob `json:"items"`

	// Absent on the last page.
	NextCursor string `json:"nextCursor,omitzero"`
}

// Job is a schema of the contract.
type Job struct {
	ID string `json:"id"`

	JobType string `json:"jobType"`

	// Empty on a standalone job.
	InstanceID string `json:"instanceId"`

	// Empty on a standalone job.
	StepID string `json:"stepId"`

	// Empty on a standalone job.
	StepExecutionID string `json:"stepExecutionId"`

	RetriesRemaining int `json:"retriesRemaining"`

	Variables Variables `json:"variables"`

	LockExpiresAt time.Time `json:"lockExpiresAt"`

	LeaseToken string `json:"leaseToken"`

	Attempt int `json:"attempt"`

	Priority Priority `json:"priority"`

	// Empty on a standalone job.
	DefinitionID string `json:"definitionId"`

	BusinessKey string `json:"businessKey,omitzero"`

	// Constant over attempts, over the replay of a dead letter and over a manual retry of the step; for outside effects.
	IdempotencyKey string `json:"idempotencyKey"`

	// How long this attempt may run; absent where there is no limit.
	TimeoutSeconds float64 `json:"timeoutSeconds,omitzero"`

	Traceparent string `json:"traceparent,omitzero"`

	Tracestate string `json:"tracestate,omitzero"`
}

// PollOptions is a schema of the contract.
type PollOptions struct {
	JobTypes []string `json:"jobTypes"`

	// 1 to 100; clamped. 0 is the default.
	// Default: 10.
	MaxJobs int `json:"maxJobs,omitzero"`

	// 5 to 3600; clamped. 0 is the default.
	// Default: 30.
	LeaseSeconds int `json:"leaseSeconds,omitzero"`

	// 0 to 30; clamped.
	// Default: 0.
	WaitSeconds int `json:"waitSeconds,omitzero"`
}

// PollRequest is a schema of the contract.
type PollRequest struct {
	WorkerID string `json:"workerId,omitzero"`

	JobTypes []string `json:"jobTypes"`

	// 1 to 100; clamped. 0 is the default.
	// Default: 10.
	MaxJobs int `json:"maxJobs,omitzero"`

	// 5 to 3600; clamped. 0 is the default.
	// Default: 30.
	LeaseSeconds int `json:"leaseSeconds,omitzero"`

	// 0 to 30; clamped.
	// Default: 0.
	WaitSeconds int `json:"waitSeconds,omitzero"`
}

// CompleteJob is a schema of the contract.
type CompleteJob struct {
	JobID string `json:"jobId"`

	WorkerID string `json:"workerId,omitzero"`

	LeaseToken string `json:"leaseToken,omitzero"`

	Variables Variables `json:"variables,omitzero"`
}

// FailJob is a schema of the contract.
type FailJob struct {
	JobID string `json:"jobId"`

	WorkerID string `json:"workerId,omitzero"`

	LeaseToken string `json:"leaseToken,omitzero"`

	// Default: false.
	Retryable bool `json:"retryable,omitzero"`

	// Default: "".
	ErrorMessage string `json:"errorMessage,omitzero"`

	RetryAfter *float64 `json:"retryAfter,omitzero"`

	DownstreamStatus int `json:"downstreamStatus,omitzero"`

	Stack string `json:"stack,omitzero"`
}

// HeartbeatResult is a schema of the contract.
type HeartbeatResult struct {
	LockExpiresAt time.Time `json:"lockExpiresAt"`

	// Where they were asked for.
	Variables Variables `json:"variables,omitzero"`
}

// ExchangeRequest is a schema of the contract.
type ExchangeRequest struct {
	WorkerID string `json:"workerId,omitzero"`

	Completed []CompletedReport `json:"completed,omitzero"`

	Failed []FailedReport `json:"failed,omitzero"`

	Poll *PollOptions `json:"poll,omitzero"`
}

// CompletedReport is a schema of the contract.
type CompletedReport struct {
	JobID string `json:"jobId"`

	LeaseToken string `json:"leaseToken"`

	Variables Variables `json:"variables,omitzero"`
}

// FailedReport is a schema of the contract.
type FailedReport struct {
	JobID string `json:"jobId"`

	LeaseToken string `json:"leaseToken"`

	// Default: false.
	Retryable bool `json:"retryable,omitzero"`

	// Default: "".
	ErrorMessage string `json:"errorMessage,omitzero"`

	RetryAfter *float64 `json:"retryAfter,omitzero"`

	DownstreamStatus int `json:"downstreamStatus,omitzero"`

	Stack string `json:"stack,omitzero"`
}

// ReportResult is a schema of the contract.
type ReportResult struct {
	JobID string `json:"jobId"`

	// `stale`: another claim or report came first, nothing changed. `unknown`: no such job.
	Outcome string `json:"outcome"`
}

// ExchangeResult is a schema of the contract.
type ExchangeResult struct {
	Results []ReportResult `json:"results"`

	Jobs []Job `json:"jobs"`
}

// EnqueueJob is a schema of the contract.
type EnqueueJob struct {
	// Which workers take it; `payload.type` when absent.
	Type string `json:"type,omitzero"`

	Payload map[string]any `json:"payload"`

	// Default: "normal".
	Priority Priority `json:"priority,omitzero"`

	// One job per type and key; kept with the job.
	Key string `json:"key,omitzero"`

	// Not before this much time has passed.
	Delay Duration `json:"delay,omitzero"`

	// How long one attempt may run.
	// Default: "PT30S".
	Timeout Duration `json:"timeout,omitzero"`

	// With `minutes` 3 and with `immediate` 0 when absent.
	// Default: 5.
	Retries *int `json:"retries,omitzero"`

	// How the tries are spaced. `jittered`: up to 1, 2, 4 … 60 s. `minutes`: 1, 2, 4 min.
	// Default: "jittered".
	Retry any `json:"retry,omitzero"`

	// Jobs take turns by it, such as a tenant's name.
	FairKey string `json:"fair_key,omitzero"`

	// At most `max` jobs of this key at a time.
	Limit *EnqueueJobLimit `json:"limit,omitzero"`

	// One job per type and key within a window: another is refused with 409, or takes its place (`debounce`). A debounced job waits for the window or its `delay`, whichever is longer; another never makes it earlier.
	Unique *EnqueueJobUnique `json:"unique,omitzero"`

	// The system it calls, whose limits it keeps to.
	Downstream string `json:"downstream,omitzero"`
}

// StandaloneStatus is a schema of the contract.
type StandaloneStatus string

const (
	StandaloneStatusPending StandaloneStatus = "PENDING"

	StandaloneStatusRunning StandaloneStatus = "RUNNING"

	StandaloneStatusCompleted StandaloneStatus = "COMPLETED"

	StandaloneStatusFailed StandaloneStatus = "FAILED"

	StandaloneStatusCancelled StandaloneStatus = "CANCELLED"
)

// StandaloneJob is a schema of the contract.
type StandaloneJob struct {
	ID string `json:"id"`

	Type string `json:"type"`

	// That it was enqueued with, or its `Idempotency-Key`.
	Key string `json:"key,omitzero"`

	Status StandaloneStatus `json:"status"`

	Priority Priority `json:"priority"`

	Payload map[string]any `json:"payload"`

	Result map[string]any `json:"result"`

	RetryCount int `json:"retry_count"`

	// Of the last attempt that failed.
	Error *string `json:"error"`

	CreatedAt time.Time `json:"created_at"`

	UpdatedAt time.Time `json:"updated_at"`

	// When it is ready, where it waits for a time.
	DueAt time.Time `json:"due_at,omitzero"`

	// Who has it, or had it last.
	WorkerID string `json:"worker_id,omitzero"`

	// The job whose dead letter was replayed as this one.
	ReplayOf string `json:"replay_of,omitzero"`
}

// InstanceFilter: Joined by "and"; at least one, so that a mistake does not cancel everything.
type InstanceFilter struct {
	DefinitionID string `json:"definitionId,omitzero"`

	Version int `json:"version,omitzero"`

	Status InstanceStatus `json:"status,omitzero"`

	BusinessKey string `json:"businessKey,omitzero"`

	StartedAfter time.Time `json:"startedAfter,omitzero"`

	StartedBefore time.Time `json:"startedBefore,omitzero"`

	Failure string `json:"failure,omitzero"`
}

// BulkRequest is a schema of the contract.
type BulkRequest struct {
	Action string `json:"action"`

	Filter InstanceFilter `json:"filter"`

	// Count what matches, and change nothing.
	// Default: false.
	DryRun bool `json:"dryRun,omitzero"`

	// Kept as `failureReason` of what is cancelled.
	Reason string `json:"reason,omitzero"`
}

// Bulk is a schema of the contract.
type Bulk struct {
	ID string `json:"id"`

	Action string `json:"action"`

	DryRun bool `json:"dryRun"`

	Matched int `json:"matched"`

	// What was dealt with elsewhere meanwhile is in neither count.
	Done int `json:"done"`

	Failed int `json:"failed"`

	Finished bool `json:"finished"`

	CreatedAt time.Time `json:"createdAt"`

	FinishedAt time.Time `json:"finishedAt,omitzero"`
}

// Overlap: When the work of the run before has not ended: `skip` this tick; `queue`, and let one run wait for it (with `catchUp` `all`
// up to 1,000); `cancel` it and start.
type Overlap string

const (
	OverlapSkip Overlap = "skip"

	OverlapQueue Overlap = "queue"

	OverlapCancel Overlap = "cancel"
)

// CatchUp: Of the ticks that were missed while no engine ran, for more than 30 seconds: `none` is made up for, the `last` one, or `all`
// of them one after the other, at most the newest 1,000.
type CatchUp string

const (
	CatchUpNone CatchUp = "none"

	CatchUpLast CatchUp = "last"

	CatchUpAll CatchUp = "all"
)

// ScheduleRequest: Either definitionId or jobType.
type ScheduleRequest struct {
	ID string `json:"id,omitzero"`

	Cron string `json:"cron"`

	Timezone string `json:"timezone,omitzero"`

	DefinitionID string `json:"definitionId,omitzero"`

	JobType string `json:"jobType,omitzero"`

	// The variables of the instance, or the payload of the job.
	Input map[string]any `json:"input,omitzero"`

	Priority Priority `json:"priority,omitzero"`

	Overlap Overlap `json:"overlap,omitzero"`

	CatchUp CatchUp `json:"catchUp,omitzero"`

	// Default: true.
	Enabled *bool `json:"enabled,omitzero"`
}

// ScheduleChange: At least one of them.
type ScheduleChange struct {
	Cron string `json:"cron,omitzero"`

	Timezone string `json:"timezone,omitzero"`

	DefinitionID string `json:"definitionId,omitzero"`

	JobType string `json:"jobType,omitzero"`

	// The variables of the instance, or the payload of the job; the whole of it.
	Input map[string]any `json:"input,omitzero"`

	Priority Priority `json:"priority,omitzero"`

	Overlap Overlap `json:"overlap,omitzero"`

	CatchUp CatchUp `json:"catchUp,omitzero"`

	Enabled *bool `json:"enabled,omitzero"`
}

// Schedule is a schema of the contract.
type Schedule struct {
	ID string `json:"id"`

	Cron string `json:"cron"`

	Timezone string `json:"timezone"`

	DefinitionID string `json:"definitionId,omitzero"`

	JobType string `json:"jobType,omitzero"`

	// Left out for a key that may not read what it starts, by `instances:read` or `jobs:read`.
	Input map[string]any `json:"input,omitzero"`

	Priority Priority `json:"priority,omitzero"`

	Overlap Overlap `json:"overlap"`

	CatchUp CatchUp `json:"catchUp"`

	Enabled bool `json:"enabled"`

	LastFiredAt time.Time `json:"lastFiredAt,omitzero"`

	LastWorkID string `json:"lastWorkId,omitzero"`

	// What became of its last run, as in its history. Answers to a change leave it out.
	LastOutcome string `json:"lastOutcome,omitzero"`

	// Why the last run failed.
	LastDetail string `json:"lastDetail,omitzero"`

	NextAt time.Time `json:"nextAt,omitzero"`

	// The times after `nextAt`.
	Upcoming []time.Time `json:"upcoming"`

	ChangedAt time.Time `json:"changedAt"`

	ChangedBy string `json:"changedBy"`
}

// SchedulePage is a schema of the contract.
type SchedulePage struct {
	Items []Schedule `json:"items"`

	NextCursor string `json:"nextCursor,omitzero"`
}

// ScheduleRun is a schema of the contract.
type ScheduleRun struct {
	DueAt time.Time `json:"dueAt"`

	FiredAt time.Time `json:"firedAt"`

	Cause string `json:"cause"`

	// `queued`: it waits for the run before. `failed`: what it should start could not be; `detail` says why.
	Outcome string `json:"outcome"`

	// The instance or the job.
	WorkID string `json:"workId,omitzero"`

	Detail string `json:"detail,omitzero"`
}

// ScheduleRunPage is a schema of the contract.
type ScheduleRunPage struct {
	Items []ScheduleRun `json:"items"`

	NextCursor string `json:"nextCursor,omitzero"`
}

// Weights is a schema of the contract.
type Weights struct {
	Critical int `json:"critical"`

	High int `json:"high"`

	Normal int `json:"normal"`
}

// Source: `database`: set at run time.
type Source string

const (
	SourceDatabase Source = "database"

	SourceConfig Source = "config"
)

// WeightsInForce is a schema of the contract.
type WeightsInForce struct {
	Critical int `json:"critical"`

	High int `json:"high"`

	Normal int `json:"normal"`

	Source Source `json:"source"`

	// Names these weights: a change that sends it back replaces no others.
	Version string `json:"version,omitzero"`

	// When they were chosen, or reset.
	ChangedAt time.Time `json:"changed_at,omitzero"`

	ChangedBy string `json:"changed_by,omitzero"`
}

// Watermark is a schema of the contract.
type Watermark struct {
	High int `json:"high"`

	// Below `high`.
	Low int `json:"low"`
}

// Watermarks is a schema of the contract.
type Watermarks struct {
	Critical *Watermark `json:"critical,omitzero"`

	High *Watermark `json:"high,omitzero"`

	Normal *Watermark `json:"normal,omitzero"`

	Total *Watermark `json:"total,omitzero"`
}

// WatermarkInForce is a schema of the contract.
type WatermarkInForce struct {
	High int `json:"high"`

	// Below `high`.
	Low int `json:"low"`

	Source Source `json:"source"`

	// When it was chosen, or reset.
	ChangedAt time.Time `json:"changed_at,omitzero"`

	ChangedBy string `json:"changed_by,omitzero"`
}

// WatermarksInForce is a schema of the contract.
type WatermarksInForce struct {
	Critical WatermarkInForce `json:"critical"`

	High WatermarkInForce `json:"high"`

	Normal WatermarkInForce `json:"normal"`

	Total WatermarkInForce `json:"total"`
}

// Gate is a schema of the contract.
type Gate struct {
	Depth int `json:"depth"`

	HighWatermark int `json:"high_watermark"`

	LowWatermark int `json:"low_watermark"`

	// A job that comes now is refused.
	Shut bool `json:"shut"`
}

// QueueMetrics is a schema of the contract.
type QueueMetrics struct {
	Depths QueueMetricsDepths `json:"depths"`

	Total int `json:"total"`

	// Of a priority, as configured.
	HighWatermark int `json:"high_watermark"`

	// Of a priority, as configured.
	LowWatermark int `json:"low_watermark"`

	// Jobs of at least one priority are taken.
	AcceptingJobs bool `json:"accepting_jobs"`

	// At least one gate is shut.
	BackpressureActive bool `json:"backpressure_active"`

	// Dead letters, counted to 10,000.
	DLQDepth int `json:"dlq_depth"`

	DLQDepthIsExact bool `json:"dlq_depth_is_exact"`

	Gates QueueMetricsGates `json:"gates"`
}

// LaneGate is a schema of the contract.
type LaneGate struct {
	Depth int `json:"depth"`

	HighWatermark int `json:"high_watermark"`

	LowWatermark int `json:"low_watermark"`

	// A job that comes now is refused.
	Shut bool `json:"shut"`

	OldestWaitingSeconds *int `json:"oldest_waiting_seconds"`
}

// PauseKind is a schema of the contract.
type PauseKind string

const (
	PauseKindQueue PauseKind = "queue"

	PauseKindJobType PauseKind = "jobType"

	PauseKindDefinition PauseKind = "definition"

	PauseKindDownstream PauseKind = "downstream"
)

// PauseRequest is a schema of the contract.
type PauseRequest struct {
	Kind PauseKind `json:"kind"`

	Name string `json:"name"`

	Reason string `json:"reason,omitzero"`
}

// Pause is a schema of the contract.
type Pause struct {
	Kind PauseKind `json:"kind"`

	Name string `json:"name"`

	Reason string `json:"reason,omitzero"`

	PausedBy string `json:"pausedBy"`

	PausedAt time.Time `json:"pausedAt"`
}

// DownstreamLimits is a schema of the contract.
type DownstreamLimits struct {
	// Jobs handed out each second.
	PerSecond float64 `json:"perSecond,omitzero"`

	// Jobs in flight at once.
	Concurrency int `json:"concurrency,omitzero"`

	// Slow down when it pushes back.
	// Default: false.
	Adaptive bool `json:"adaptive,omitzero"`
}

// Downstream is a schema of the contract.
type Downstream struct {
	Name string `json:"name"`

	PerSecond float64 `json:"perSecond,omitzero"`

	Concurrency int `json:"concurrency,omitzero"`

	Adaptive bool `json:"adaptive"`

	// What is left of its limits after it pushed back.
	Share float64 `json:"share"`

	// The pace it is given now.
	EffectivePerSecond float64 `json:"effectivePerSecond,omitzero"`

	SlowedAt time.Time `json:"slowedAt,omitzero"`

	ClosedUntil time.Time `json:"closedUntil,omitzero"`

	InFlight int `json:"inFlight"`

	// Ready jobs, counted to 1,000.
	Waiting int `json:"waiting"`

	WaitingIsExact bool `json:"waitingIsExact"`

	ChangedAt time.Time `json:"changedAt,omitzero"`

	ChangedBy string `json:"changedBy,omitzero"`
}

// NewEvent is a schema of the contract.
type NewEvent struct {
	Type string `json:"type"`

	Payload Variables `json:"payload"`

	Key string `json:"key,omitzero"`

	// For what belongs to the delivery: names of letters, digits, _ and -, texts of printable ASCII, 8 KiB in all.
	Headers map[string]string `json:"headers,omitzero"`
}

// NewEvents is a schema of the contract.
type NewEvents struct {
	Events []NewEvent `json:"events"`
}

// PublishedEvent is a schema of the contract.
type PublishedEvent struct {
	ID string `json:"id"`
}

// PublishedEvents is a schema of the contract.
type PublishedEvents struct {
	IDs []string `json:"ids"`
}

// ParkedEvent is a schema of the contract.
type ParkedEvent struct {
	ID string `json:"id"`

	Sink string `json:"sink"`

	Type string `json:"type"`

	Key string `json:"key,omitzero"`

	// What the sink said of it last.
	Reason string `json:"reason"`

	Attempts int `json:"attempts"`

	PublishedAt time.Time `json:"publishedAt"`

	ParkedAt time.Time `json:"parkedAt"`

	// When it is tried again by itself.
	NextAt time.Time `json:"nextAt,omitzero"`

	// It was not sent: an earlier one of its key is parked.
	IsBehind bool `json:"isBehind"`
}

// ParkedEventPage is a schema of the contract.
type ParkedEventPage struct {
	Items []ParkedEvent `json:"items"`

	NextCursor string `json:"nextCursor,omitzero"`
}

// ReplayedEvent is a schema of the contract.
type ReplayedEvent struct {
	Sink string `json:"sink"`

	ID string `json:"id"`
}

// ParkedEventFilter: Filters are ANDed.
type ParkedEventFilter struct {
	Sink string `json:"sink"`

	Type string `json:"type,omitzero"`

	Key string `json:"key,omitzero"`
}

// ParkedChangeRequest is a schema of the contract.
type ParkedChangeRequest struct {
	Filter ParkedEventFilter `json:"filter"`

	// Default: false.
	DryRun bool `json:"dryRun,omitzero"`
}

// ParkedChange is a schema of the contract.
type ParkedChange struct {
	DryRun bool `json:"dryRun"`

	Matched int `json:"matched"`

	// At most 10,000 at a time.
	Changed int `json:"changed"`
}

// Sink is a schema of the contract.
type Sink struct {
	Name string `json:"name"`

	Kind string `json:"kind"`

	// Everything up to it was sent, is parked, or is not for this sink.
	Place int `json:"place"`

	// Events behind it, at most.
	Depth int `json:"depth"`

	// Age of the oldest of them.
	LagSeconds float64 `json:"lagSeconds"`

	Parked int `json:"parked"`

	// Events it has passed each second of the last minute.
	PerSecond float64 `json:"perSecond"`

	// The process that sends to it; none while no process does.
	Leader string `json:"leader,omitzero"`

	// How often in a row it took nothing.
	Failures int `json:"failures"`

	LastError string `json:"lastError,omitzero"`

	RetryAt time.Time `json:"retryAt,omitzero"`

	CreatedAt time.Time `json:"createdAt"`

	MovedAt time.Time `json:"movedAt,omitzero"`
}

// ForgetSink is a schema of the contract.
type ForgetSink struct {
	Reason string `json:"reason"`

	// Default: false.
	Force bool `json:"force,omitzero"`
}

// JobTypeSettings is a schema of the contract.
type JobTypeSettings struct {
	Timeout Duration `json:"timeout,omitzero"`

	LargePayload LargePayload `json:"largePayload,omitzero"`
}

// LargePayload: What becomes of a job whose variables are larger than a message of Kafka may be: it fails with the reason, or is dispatched
// without them, and the worker asks for them. For fleets of workers that can: those of this version's SDKs.
// Default: "fail".
type LargePayload string

const (
	LargePayloadFail LargePayload = "fail"

	LargePayloadReference LargePayload = "reference"
)

// JobType is a schema of the contract.
type JobType struct {
	Name string `json:"name"`

	Timeout Duration `json:"timeout,omitzero"`

	LargePayload LargePayload `json:"largePayload,omitzero"`

	LastPolledAt time.Time `json:"lastPolledAt,omitzero"`

	// In the list: jobs and steps that wait for a worker, counted to 10,000.
	Ready *int `json:"ready,omitzero"`

	// In the list: those that workers have, counted to 10,000 over all types.
	Leased *int `json:"leased,omitzero"`

	// In the list: when an operator changed it last.
	ChangedAt time.Time `json:"changedAt,omitzero"`

	ChangedBy string `json:"changedBy,omitzero"`
}

// Rates is a schema of the contract.
type Rates struct {
	// Instances that were started.
	Started float64 `json:"started"`

	// Instances that ended COMPLETED.
	Completed float64 `json:"completed"`

	// Instances that ended FAILED.
	Failed float64 `json:"failed"`

	// Instances that were cancelled.
	Cancelled float64 `json:"cancelled"`

	// Step executions that ended.
	Steps float64 `json:"steps"`

	// Standalone jobs that were taken in.
	JobsEnqueued float64 `json:"jobsEnqueued"`

	// Standalone jobs that were completed.
	JobsCompleted float64 `json:"jobsCompleted"`

	// Their attempts that failed and are made again.
	JobsFailed float64 `json:"jobsFailed"`

	// Standalone jobs that were given up.
	JobsDead float64 `json:"jobsDead"`

	// Requests for jobs that were refused because a queue was full.
	Rejected float64 `json:"rejected"`
}

// GateInView is a schema of the contract.
type GateInView struct {
	Depth int `json:"depth"`

	HighWatermark int `json:"highWatermark"`

	LowWatermark int `json:"lowWatermark"`

	// New jobs are refused.
	Shut bool `json:"shut"`
}

// LaneInView is a schema of the contract.
type LaneInView struct {
	Depth int `json:"depth"`

	HighWatermark int `json:"highWatermark"`

	LowWatermark int `json:"lowWatermark"`

	// New jobs are refused.
	Shut bool `json:"shut"`

	Name Priority `json:"name"`

	Paused bool `json:"paused"`

	// Its share of the claims.
	Weight int `json:"weight"`

	// Jobs and steps that workers were given.
	ClaimedPerSecond float64 `json:"claimedPerSecond"`

	// Jobs of workflow steps, which wait or are with workers. No gate counts them: they are not part of `depth`.
	Steps int `json:"steps"`

	OldestWaitingSeconds *int `json:"oldestWaitingSeconds"`
}

// DownstreamInView is a schema of the contract.
type DownstreamInView struct {
	Name string `json:"name"`

	PerSecond float64 `json:"perSecond,omitzero"`

	Concurrency int `json:"concurrency,omitzero"`

	InFlight int `json:"inFlight"`

	// Jobs and steps for it that no worker has.
	Waiting int `json:"waiting"`

	// Jobs and steps for it that workers were given.
	StartedPerSecond float64 `json:"startedPerSecond"`

	// It asked to be left alone until then.
	PushedBackUntil time.Time `json:"pushedBackUntil,omitzero"`

	Paused bool `json:"paused"`
}

// Door: By which work comes in. `library`: code in the caller's own process. `sql`: the functions of the database.
type Door string

const (
	DoorRest Door = "rest"

	DoorGrpc Door = "grpc"

	DoorLibrary Door = "library"

	DoorKafka Door = "kafka"

	DoorSchedule Door = "schedule"

	DoorSql Door = "sql"
)

// DoorInView is a schema of the contract.
type DoorInView struct {
	Door Door `json:"door"`

	// Jobs and instances.
	AcceptedPerSecond float64 `json:"acceptedPerSecond"`

	// Jobs that found their gate shut.
	RefusedPerSecond float64 `json:"refusedPerSecond"`
}

// Overview is a schema of the contract.
type Overview struct {
	At time.Time `json:"at"`

	// Per second, over the last four that are over.
	Rates Rates `json:"rates"`

	// By door, over the same time as `rates`.
	Intake []DoorInView `json:"intake"`

	// critical, high, normal.
	Lanes []LaneInView `json:"lanes"`

	Total GateInView `json:"total"`

	Leases int `json:"leases"`

	LeasesAreExact bool `json:"leasesAreExact"`

	// Those with a lease or that ask for work.
	Workers int `json:"workers"`

	// Those of them with a lease.
	BusyWorkers int `json:"busyWorkers"`

	DeadLetters int `json:"deadLetters"`

	DeadLettersAreExact bool `json:"deadLettersAreExact"`

	OpenUserTasks int `json:"openUserTasks"`

	OpenUserTasksAreExact bool `json:"openUserTasksAreExact"`

	// Open and past their due time.
	OverdueUserTasks int `json:"overdueUserTasks"`

	// The busiest first.
	Downstreams []DownstreamInView `json:"downstreams"`
}

// Stats is a schema of the contract.
type Stats struct {
	Window string `json:"window"`

	StepSeconds int `json:"stepSeconds"`

	From time.Time `json:"from"`

	To time.Time `json:"to"`

	Series Series `json:"series"`
}

// Series is a schema of the contract.
type Series struct {
	// When each step begins, in seconds since 1970.
	At []int `json:"at"`

	Started []int `json:"started"`

	Completed []int `json:"completed"`

	Failed []int `json:"failed"`

	Cancelled []int `json:"cancelled"`

	Steps []int `json:"steps"`

	JobsEnqueued []int `json:"jobsEnqueued"`

	JobsCompleted []int `json:"jobsCompleted"`

	JobsFailed []int `json:"jobsFailed"`

	JobsDead []int `json:"jobsDead"`

	Rejected []int `json:"rejected"`

	DepthCritical []*int `json:"depthCritical"`

	DepthHigh []*int `json:"depthHigh"`

	DepthNormal []*int `json:"depthNormal"`

	Leased []*int `json:"leased"`

	DeadLetters []*int `json:"deadLetters"`
}

// WorkerInView is a schema of the contract.
type WorkerInView struct {
	WorkerID string `json:"workerId"`

	InFlight int `json:"inFlight"`

	// Those that it asks for; of its jobs, where it was not seen asking.
	JobTypes []string `json:"jobTypes"`

	// When it claimed the oldest job it has.
	Since time.Time `json:"since,omitzero"`

	// Its last poll, claim or heartbeat.
	LastSeenAt time.Time `json:"lastSeenAt,omitzero"`

	// Its first poll; forgotten an hour after its last.
	FirstSeenAt time.Time `json:"firstSeenAt,omitzero"`

	// It asks for work.
	Polling bool `json:"polling"`
}

// PolledJobType is a schema of the contract.
type PolledJobType struct {
	JobType string `json:"jobType"`

	LastPolledAt time.Time `json:"lastPolledAt"`
}

// WorkerList is a schema of the contract.
type WorkerList struct {
	Items []WorkerInView `json:"items"`

	Polled []PolledJobType `json:"polled"`
}

// Health is a schema of the contract.
type Health struct {
	Status string `json:"status"`

	// Left out for a caller without a key where one is needed.
	Components map[string]string `json:"components,omitzero"`

	// Left out where the guard is off, and for a caller without a key where one is needed.
	Guard *HealthGuard `json:"guard,omitzero"`

	// Connections to the database; left out as the components are.
	Pool *HealthPool `json:"pool,omitzero"`
}

// ListDefinitionsQuery: the query of GET /v1/definitions.
type ListDefinitionsQuery struct {
	// Part of the id or the name; case does not matter.
	Keyword string `json:"keyword,omitzero"`

	// The page, from 0.
	// Default: 0.
	Page int `json:"page,omitzero"`

	// Items a page.
	// Default: 20.
	PageSize int `json:"pageSize,omitzero"`
}

// ListInstancesQuery: the query of GET /v1/instances.
type ListInstancesQuery struct {
	// Only instances of this definition.
	DefinitionID string `json:"definitionId,omitzero"`

	// Only instances of this version of the definition.
	Version int `json:"version,omitzero"`

	// Only instances in this status.
	Status InstanceStatus `json:"status,omitzero"`

	// Only instances with exactly this business key.
	BusinessKey string `json:"businessKey,omitzero"`

	// Only instances started at or after this moment.
	StartedAfter time.Time `json:"startedAfter,omitzero"`

	// Only instances started before this moment.
	StartedBefore time.Time `json:"startedBefore,omitzero"`

	// Only failed instances whose error has this fingerprint.
	Failure string `json:"failure,omitzero"`

	// The page, from 0.
	// Default: 0.
	Page int `json:"page,omitzero"`

	// Items a page.
	// Default: 20.
	PageSize int `json:"pageSize,omitzero"`

	// The `nextCursor` of the page before; opaque.
	Cursor string `json:"cursor,omitzero"`
}

// SearchInstancesQuery: the query of GET /v1/search.
type SearchInstancesQuery struct {
	// The beginning of a key, a business key or an id.
	Prefix string `json:"prefix,omitzero"`

	// How many instances are told at most.
	// Default: 8.
	Limit int `json:"limit,omitzero"`
}

// ListUserTasksQuery: the query of GET /v1/user-tasks.
type ListUserTasksQuery struct {
	// Only tasks in this status.
	Status UserTaskStatus `json:"status,omitzero"`

	// Only tasks of this person.
	Assignee string `json:"assignee,omitzero"`

	// Only tasks of this group.
	Group string `json:"group,omitzero"`

	// Items a page.
	// Default: 20.
	PageSize int `json:"pageSize,omitzero"`

	// The `nextCursor` of the page before; opaque.
	Cursor string `json:"cursor,omitzero"`
}

// ListJobsQuery: the query of GET /v1/jobs.
type ListJobsQuery struct {
	// Only jobs in this status.
	// Default: "ready".
	Status LiveJobStatus `json:"status,omitzero"`

	// Only jobs of this type.
	JobType string `json:"jobType,omitzero"`

	// Only jobs of this priority.
	Priority Priority `json:"priority,omitzero"`

	// Only standalone jobs that were enqueued with a key that begins so, in the order of their types and keys. 1,000 keys are looked at for one page.
	KeyPrefix string `json:"keyPrefix,omitzero"`

	// Items a page.
	// Default: 20.
	PageSize int `json:"pageSize,omitzero"`

	// The `nextCursor` of the page before; opaque.
	Cursor string `json:"cursor,omitzero"`
}

// ListEndedJobsQuery: the query of GET /v1/jobs/ended.
type ListEndedJobsQuery struct {
	// Only jobs that ended so.
	Status EndedJobStatus `json:"status,omitzero"`

	// Only jobs of this type.
	JobType string `json:"jobType,omitzero"`

	// Only jobs of this priority.
	Priority Priority `json:"priority,omitzero"`

	// Only standalone jobs that were enqueued with a key that begins so, in the order of their types and keys. 1,000 keys are looked at for one page.
	KeyPrefix string `json:"keyPrefix,omitzero"`

	// Items a page.
	// Default: 20.
	PageSize int `json:"pageSize,omitzero"`

	// The `nextCursor` of the page before; opaque.
	Cursor string `json:"cursor,omitzero"`
}

// ListDeadLettersQuery: the query of GET /queues/dlq.
type ListDeadLettersQuery struct {
	// Of this job type.
	Type string `json:"type,omitzero"`

	// Of this priority.
	Priority Priority `json:"priority,omitzero"`

	// Steps of this definition.
	DefinitionID string `json:"definition_id,omitzero"`

	// With this fingerprint of the error.
	Error string `json:"error,omitzero"`

	// Dead since this time.
	Since time.Time `json:"since,omitzero"`

	// Dead before this time.
	Before time.Time `json:"before,omitzero"`

	// Items a page.
	// Default: 20.
	Limit int `json:"limit,omitzero"`

	// The `next_cursor` of the page before; opaque.
	Cursor string `json:"cursor,omitzero"`
}

// ListSchedulesQuery: the query of GET /v1/schedules.
type ListSchedulesQuery struct {
	// Items a page.
	// Default: 20.
	PageSize int `json:"pageSize,omitzero"`

	// The `nextCursor` of the page before; opaque.
	Cursor string `json:"cursor,omitzero"`
}

// ListParkedEventsQuery: the query of GET /v1/events/parked.
type ListParkedEventsQuery struct {
	// Of this sink.
	Sink string `json:"sink,omitzero"`

	// Of this type.
	Type string `json:"type,omitzero"`

	// With this key.
	Key string `json:"key,omitzero"`

	// Items a page.
	// Default: 20.
	PageSize int `json:"pageSize,omitzero"`

	// The `nextCursor` of the page before; opaque.
	Cursor string `json:"cursor,omitzero"`
}

type EnqueueJobLimit struct {
	Key string `json:"key"`

	Max int `json:"max"`
}

type EnqueueJobUnique struct {
	Key string `json:"key"`

	For Duration `json:"for"`

	// Default: "refuse".
	Mode string `json:"mode,omitzero"`
}

type QueueMetricsDepths struct {
	Critical int `json:"critical"`

	High int `json:"high"`

	Normal int `json:"normal"`
}

type QueueMetricsGates struct {
	Critical LaneGate `json:"critical"`

	High LaneGate `json:"high"`

	Normal LaneGate `json:"normal"`

	Total Gate `json:"total"`
}

type HealthGuard struct {
	Store string `json:"store"`

	// Addresses that the filter was loaded with.
	BlockedAddresses int `json:"blocked_addresses"`

	BlockedAgents int `json:"blocked_agents"`
}

type HealthPool struct {
	Size int `json:"size"`

	Idle int `json:"idle"`

	Waiting int `json:"waiting"`

	Most int `json:"most"`
}

type VariableSchemaProperty struct {
	Type string `json:"type"`

	Title string `json:"title,omitzero"`

	Description string `json:"description,omitzero"`
}
