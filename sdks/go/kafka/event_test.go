package kafka

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/proto"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

func TestDispatch(t *testing.T) {
	whole := &workflowv1.JobDispatchEvent{
		SchemaVersion: 1, DedupId: "d", JobId: "j", InstanceId: "i", StepExecutionId: "e", JobType: "t",
		RetriesRemaining: 2, JobPayload: []byte(`{"n":1}`), LeaseToken: "token", Attempt: 3, Priority: "high",
		DefinitionId: "order", BusinessKey: "b", IdempotencyKey: "k", TimeoutSeconds: 1.5, Traceparent: "tp",
		Tracestate: "ts", StepId: "pay",
	}
	read := func(event *workflowv1.JobDispatchEvent) (dispatch, error) {
		value, err := proto.Marshal(event)
		must(t, err)
		return readDispatch(&kgo.Record{Topic: "topic", Partition: 1, Offset: 7, Value: value})
	}

	t.Run("W-20: a dispatch is read with every field of the contract", func(t *testing.T) {
		got, err := read(whole)
		must(t, err)
		want := dispatch{dedupID: "d", job: millrace.Job{
			ID: "j", InstanceID: "i", StepExecutionID: "e", JobType: "t", RetriesRemaining: 2,
			Variables: millrace.Variables{"n": 1.0}, LeaseToken: "token", Attempt: 3, Priority: "high",
			DefinitionID: "order", BusinessKey: "b", IdempotencyKey: "k", TimeoutSeconds: 1.5, Traceparent: "tp",
			Tracestate: "ts", StepID: "pay",
		}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})

	t.Run("W-20: of the first fields alone it has what a handler needs", func(t *testing.T) {
		got, err := read(&workflowv1.JobDispatchEvent{JobId: "j", JobType: "t", StepExecutionId: "e"})
		must(t, err)
		job := got.job
		if got.dedupID != "topic:1:7" || job.Attempt != 1 || job.Priority != "normal" || job.IdempotencyKey != "e" {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("C-112: what names no job or has no object of variables is refused", func(t *testing.T) {
		for _, event := range []*workflowv1.JobDispatchEvent{
			{}, {JobId: "j"}, {JobId: "j", JobType: "t", JobPayload: []byte("[]")},
			{JobId: "j", JobType: "t", JobPayload: []byte("null")},
		} {
			if _, err := read(event); err == nil {
				t.Errorf("%v was read", event)
			}
		}
	})
}

func TestSeen(t *testing.T) {
	t.Run("C-112: a dispatch is remembered for ten minutes, and swept each quarter of that", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSeen()
			s.add("a")
			time.Sleep(10*time.Minute - time.Nanosecond)
			if !s.has("a") || s.has("b") {
				t.Error("it should know a and not b")
			}
			time.Sleep(time.Nanosecond)
			if s.has("a") {
				t.Error("a is remembered for longer")
			}
			s.add("b")
			if len(s.at) != 1 {
				t.Errorf("%d are kept", len(s.at))
			}
		})
	})
}
