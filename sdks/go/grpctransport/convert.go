// Messages of the wire as the types of package millrace, and back.

package grpctransport

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/millrace/millrace/sdks/go/internal/nesting"
	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

func isEnd(err error) bool { return errors.Is(err, io.EOF) }

// structOf goes by JSON, so that a value means the same on both wires. Nil stays nil.
func structOf(value any) (*structpb.Struct, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", millrace.ErrNotJSON, err)
	}
	if string(text) == "null" {
		return nil, nil
	}
	if nesting.Levels(text) > nesting.Most {
		return nil, fmt.Errorf("%w that gRPC can carry: more than %d levels", millrace.ErrNotJSON, nesting.Most)
	}
	message := &structpb.Struct{}
	if err := message.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%w that the engine takes: %w", millrace.ErrNotJSON, err)
	}
	return message, nil
}

func mapOf(message *structpb.Struct) map[string]any {
	if message == nil {
		return nil
	}
	return message.AsMap()
}

// variablesOf is an empty object where nothing was sent: the wire cannot tell them apart.
func variablesOf(message *structpb.Struct) millrace.Variables {
	if message == nil {
		return millrace.Variables{}
	}
	return message.AsMap()
}

func timeOf(stamp *timestamppb.Timestamp) time.Time {
	if stamp == nil {
		return time.Time{}
	}
	return stamp.AsTime()
}

func stampOf(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		return nil
	}
	return timestamppb.New(at)
}

// word is the name of an enum's value without its prefix; empty for the unspecified one.
func word[E interface {
	~int32
	String() string
}](value E, prefix string) string {
	if value == 0 {
		return ""
	}
	return strings.TrimPrefix(value.String(), prefix)
}

// noSuchWord is in no enum of the contract, nor will be: the engine refuses it in the words of REST.
const noSuchWord = -1

// number is that of a word in an enum; an unknown word must not be 0, which is no word at all.
func number[W ~string](numbers map[string]int32, prefix string, word W) int32 {
	if word == "" {
		return 0
	}
	if found, known := numbers[prefix+string(word)]; known {
		return found
	}
	return noSuchWord
}

func instanceOf(message *workflowv1.WorkflowInstance) millrace.Instance {
	return millrace.Instance{
		ID:                message.GetId(),
		DefinitionID:      message.GetDefinitionId(),
		DefinitionVersion: int(message.GetDefinitionVersion()),
		Status:            millrace.InstanceStatus(word(message.GetStatus(), "INSTANCE_STATUS_")),
		CurrentStepIDs:    listOf(message.GetCurrentStepIds()),
		Variables:         variablesOf(message.GetVariables()),
		Input:             mapOf(message.GetInput()),
		StartedAt:         timeOf(message.GetStartedAt()),
		CompletedAt:       timeOf(message.GetCompletedAt()),
		FailureReason:     message.GetFailureReason(),
		BusinessKey:       message.GetBusinessKey(),
		LinkingID:         message.GetLinkingId(),
		ParentID:          message.GetParentId(),
		UndoneBy:          message.GetUndoneBy(),
		RestartOf:         message.GetRestartOf(),
		RestartedAs:       message.GetRestartedAs(),
		Key:               message.GetKey(),
		Priority:          millrace.Priority(message.GetPriority()),
	}
}

// listOf is never nil, so that it is a list in JSON.
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func each[M, T any](messages []M, convert func(M) T) []T {
	list := make([]T, len(messages))
	for i, message := range messages {
		list[i] = convert(message)
	}
	return list
}

func executionOf(message *workflowv1.StepExecution) millrace.StepExecution {
	execution := millrace.StepExecution{
		ID:            message.GetId(),
		InstanceID:    message.GetInstanceId(),
		StepID:        message.GetStepId(),
		StepType:      millrace.StepType(word(message.GetStepType(), "STEP_TYPE_")),
		AttemptNumber: int(message.GetAttemptNumber()),
		Status:        millrace.StepStatus(word(message.GetStatus(), "STEP_EXECUTION_STATUS_")),
		StartedAt:     timeOf(message.GetStartedAt()),
		EndedAt:       timeOf(message.GetEndedAt()),
		FailureReason: message.GetFailureReason(),
		WorkerID:      message.GetWorkerId(),
	}
	if message.GetOutput() != nil {
		execution.Output = message.GetOutput().AsInterface()
	}
	if len(message.GetAttempts()) > 0 {
		execution.Attempts = each(message.GetAttempts(), attemptOf)
	}
	return execution
}

func attemptOf(message *workflowv1.StepAttempt) millrace.StepAttempt {
	return millrace.StepAttempt{
		Attempt:  int(message.GetAttempt()),
		Outcome:  message.GetOutcome(),
		Error:    message.GetError(),
		EndedAt:  timeOf(message.GetEndedAt()),
		WorkerID: message.GetWorkerId(),
	}
}

func jobsOf(messages []*workflowv1.Job) []millrace.Job { return each(messages, jobOf) }

func jobOf(message *workflowv1.Job) millrace.Job {
	return millrace.Job{
		ID:               message.GetId(),
		JobType:          message.GetJobType(),
		InstanceID:       message.GetInstanceId(),
		StepID:           message.GetStepId(),
		StepExecutionID:  message.GetStepExecutionId(),
		RetriesRemaining: int(message.GetRetriesRemaining()),
		Variables:        variablesOf(message.GetVariables()),
		LockExpiresAt:    timeOf(message.GetLockExpiresAt()),
		LeaseToken:       message.GetLeaseToken(),
		Attempt:          int(message.GetAttempt()),
		Priority:         millrace.Priority(message.GetPriority()),
		DefinitionID:     message.GetDefinitionId(),
		BusinessKey:      message.GetBusinessKey(),
		IdempotencyKey:   message.GetIdempotencyKey(),
		TimeoutSeconds:   message.GetTimeoutSeconds(),
		Traceparent:      message.GetTraceparent(),
		Tracestate:       message.GetTracestate(),
	}
}
