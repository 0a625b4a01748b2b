// A JobDispatchEvent, the value of a message in a topic of jobs, as the job that it brings.

package kafka

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/proto"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

// dispatch is one dispatch of a job: the same when its message is published or delivered again.
type dispatch struct {
	dedupID string
	job     millrace.Job
	// lacksVariables: they were too large for the message, and stayed with the engine.
	lacksVariables bool
}

func readDispatch(record *kgo.Record) (dispatch, error) {
	var event workflowv1.JobDispatchEvent
	if err := proto.Unmarshal(record.Value, &event); err != nil {
		return dispatch{}, err
	}
	if event.GetJobId() == "" || event.GetJobType() == "" {
		return dispatch{}, errors.New("it names no job")
	}
	variables, err := readVariables(event.GetJobPayload())
	if err != nil {
		return dispatch{}, err
	}
	job := jobOf(&event)
	job.Variables = variables
	return dispatch{dedupID: dedupIDOf(&event, record), job: job, lacksVariables: event.GetPayloadOmitted()}, nil
}

func jobOf(event *workflowv1.JobDispatchEvent) millrace.Job {
	return millrace.Job{
		ID: event.GetJobId(), JobType: event.GetJobType(), InstanceID: event.GetInstanceId(),
		StepID: event.GetStepId(), StepExecutionID: event.GetStepExecutionId(), DefinitionID: event.GetDefinitionId(),
		BusinessKey: event.GetBusinessKey(), Priority: millrace.Priority(first(event.GetPriority(), "normal")),
		Attempt: max(1, int(event.GetAttempt())), RetriesRemaining: int(event.GetRetriesRemaining()),
		LeaseToken:     event.GetLeaseToken(),
		IdempotencyKey: first(event.GetIdempotencyKey(), event.GetStepExecutionId(), event.GetJobId()),
		TimeoutSeconds: event.GetTimeoutSeconds(),
		Traceparent:    event.GetTraceparent(), Tracestate: event.GetTracestate(),
	}
}

func dedupIDOf(event *workflowv1.JobDispatchEvent, record *kgo.Record) string {
	if event.GetDedupId() != "" {
		return event.GetDedupId()
	}
	for _, header := range record.Headers {
		if header.Key == "dedup-id" && len(header.Value) > 0 {
			return string(header.Value)
		}
	}
	return fmt.Sprintf("%s:%d:%d", record.Topic, record.Partition, record.Offset)
}

func readVariables(payload []byte) (millrace.Variables, error) {
	variables := millrace.Variables{}
	if len(payload) == 0 {
		return variables, nil
	}
	if err := json.Unmarshal(payload, &variables); err != nil {
		return nil, fmt.Errorf("its payload is no JSON object: %w", err)
	}
	if variables == nil {
		return nil, errors.New("its payload is no JSON object: null")
	}
	return variables, nil
}

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
