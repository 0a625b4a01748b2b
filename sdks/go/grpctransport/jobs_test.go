package grpctransport

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

func aJob(id string) *workflowv1.Job {
	variables, _ := structpb.NewStruct(map[string]any{"n": 1})
	return &workflowv1.Job{
		Id: id, JobType: "a", InstanceId: "i", StepId: "s", StepExecutionId: "e", RetriesRemaining: 2, Variables: variables,
		LeaseToken: "t", Attempt: 3, Priority: "high", DefinitionId: "d", BusinessKey: "b", IdempotencyKey: "k",
		TimeoutSeconds: 1.5, Traceparent: "p", Tracestate: "q",
	}
}

var theJob = millrace.Job{
	ID: "j1", JobType: "a", InstanceID: "i", StepID: "s", StepExecutionID: "e", RetriesRemaining: 2,
	Variables: millrace.Variables{"n": 1.0}, LeaseToken: "t", Attempt: 3, Priority: "high", DefinitionID: "d",
	BusinessKey: "b", IdempotencyKey: "k", TimeoutSeconds: 1.5, Traceparent: "p", Tracestate: "q",
}

func TestReportsOverGRPC(t *testing.T) {
	zero := 0.0
	var failed *workflowv1.FailJobRequest
	var exchanged *workflowv1.ExchangeJobsRequest
	engine := serve(t, &server{
		fail: func(request *workflowv1.FailJobRequest) { failed = request },
		exchange: func(request *workflowv1.ExchangeJobsRequest) *workflowv1.ExchangeJobsResponse {
			exchanged = request
			return &workflowv1.ExchangeJobsResponse{
				Results: []*workflowv1.ReportResult{
					{JobId: "j1", Outcome: workflowv1.ReportOutcome_REPORT_OUTCOME_ACCEPTED},
					{JobId: "j2", Outcome: workflowv1.ReportOutcome_REPORT_OUTCOME_STALE},
				},
				Jobs: []*workflowv1.Job{aJob("j1")},
			}
		},
	})
	client := connect(t, engine.address, millrace.WithWorkerID("w"))
	err := client.Fail(
		soon(t),
		millrace.FailJob{
			JobID: "j", Retryable: true, ErrorMessage: "no", RetryAfter: &zero, DownstreamStatus: 429, Stack: "at a",
		},
	)
	if err != nil || failed.RetryAfter == nil || failed.GetRetryAfter() != 0 || failed.GetDownstreamStatus() != 429 ||
		failed.GetWorkerId() != "w" || failed.GetStack() != "at a" {
		t.Errorf("%+v %v", failed, err)
	}
	answer, err := client.Exchange(soon(t), millrace.ExchangeRequest{
		Completed: []millrace.CompletedReport{{JobID: "j1", LeaseToken: "t", Variables: millrace.Variables{"x": 1}}},
		Failed:    []millrace.FailedReport{{JobID: "j2", LeaseToken: "u", ErrorMessage: "no", Stack: "at b"}},
		Poll:      &millrace.PollOptions{JobTypes: []string{"a"}, MaxJobs: 3, LeaseSeconds: 30},
	})
	want := millrace.ExchangeResult{
		Results: []millrace.ReportResult{{JobID: "j1", Outcome: "accepted"}, {JobID: "j2", Outcome: "stale"}},
		Jobs:    []millrace.Job{theJob},
	}
	if err != nil || !reflect.DeepEqual(answer, want) {
		t.Errorf("%+v %v", answer, err)
	}
	if told := exchanged.GetFailed()[0]; told.RetryAfter != nil || told.GetStack() != "at b" {
		t.Errorf("%+v", told)
	}
	if exchanged.GetPoll().GetMaxJobs() != 3 {
		t.Errorf("%+v", exchanged)
	}
}

func TestVariablesThatCannotBeSentOverGRPC(t *testing.T) {
	client := connect(t, serve(t, &server{}).address, millrace.WithWorkerID("w"))
	for name, value := range map[string]any{
		"a number that JSON does not have":  math.NaN(),
		"half of a surrogate pair":          json.RawMessage(`"\ud800"`),
		"a number that no double can hold":  json.Number("1e400"),
		"more than a hundred levels":        json.RawMessage(strings.Repeat("[", 100) + strings.Repeat("]", 100)),
		"names that are the same when sent": map[string]int{"\xff": 1, "\xfe": 2},
	} {
		t.Run(name, func(t *testing.T) {
			done := millrace.CompletedReport{JobID: "j", Variables: millrace.Variables{"a": value}}
			_, err := client.Exchange(soon(t), millrace.ExchangeRequest{Completed: []millrace.CompletedReport{done}})
			if !errors.Is(err, millrace.ErrNotJSON) {
				t.Error(err)
			}
		})
	}
}

func TestStreamsOverGRPC(t *testing.T) {
	upward := make(chan *workflowv1.StreamJobsRequest, 10)
	engine := serve(t, &server{stream: func(stream workflowv1.WorkflowEngine_StreamJobsServer) error {
		for range 3 {
			message, err := stream.Recv()
			if err != nil {
				return err
			}
			upward <- message
			if message.GetOpen() != nil {
				_ = stream.Send(&workflowv1.StreamJobsResponse{Jobs: []*workflowv1.Job{aJob("j1")}})
			}
		}
		return nil
	}})
	client := connect(t, engine.address)
	stream, err := client.StreamJobs(
		soon(t),
		millrace.OpenStream{WorkerID: "w", JobTypes: []string{"a"}, LeaseSeconds: 30, Credit: 2},
	)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := stream.Receive()
	if err != nil || !reflect.DeepEqual(jobs, []millrace.Job{theJob}) {
		t.Errorf("%+v %v", jobs, err)
	}
	err = stream.Started([]millrace.StartedJob{{JobID: "j1", LeaseToken: "t"}})
	if err := errors.Join(err, stream.AddCredit(1)); err != nil {
		t.Error(err)
	}
	_, err = stream.Receive()
	var failure *millrace.TransportError
	if !errors.As(err, &failure) || failure.Kind != millrace.Interrupted {
		t.Errorf("a stream that the engine ended is over: %v", err)
	}
	open, started, credit := <-upward, <-upward, <-upward
	if open.GetOpen().GetCredit() != 2 || open.GetOpen().GetLeaseSeconds() != 30 || open.GetOpen().GetWorkerId() != "w" {
		t.Error(open)
	}
	if started.GetStarted().GetJobs()[0].GetLeaseToken() != "t" || credit.GetCredit() != 1 {
		t.Error(started, credit)
	}
}
