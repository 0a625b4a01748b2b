package grpctransport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

// everything has each field of the contract at least once.
const everything = `{
  "id": "d", "name": "D", "description": "about", "autoStartNextWorkflow": true, "nextWorkflowId": "n",
  "metadata": {"team": "a"},
  "inputSchema": {"type": "object", "properties": {"x": {"type": "integer", "title": "X"}}, "required": ["x"]},
  "priority": "high", "execution": "graph", "recover": "resume", "deadline": "PT1H", "retain": "P30D", "events": true,
  "steps": [
    {"id": "a", "name": "A", "type": "SERVICE_TASK", "description": "s", "nextStep": "b", "jobType": "j",
     "delegateClass": "c",
     "retry": {"retries": 3, "base": "PT1S", "factor": 2.5, "cap": "PT1M", "jitter": "full"},
     "timeout": {"run": "PT1S", "queue": "PT2S", "total": "PT3S"}, "onError": "continue", "priority": "critical",
     "downstream": "bank", "outputSchema": {"type": "object"},
     "boundaryEvents": [{"type": "TIMER", "duration": "PT30S", "interrupting": true, "targetStepId": "b"}]},
    {"id": "b", "name": "B", "type": "DECISION", "conditionalNextSteps": {"z > 1": "c", "a < 2": "d", "true": "e"}},
    {"id": "c", "name": "C", "type": "TRANSFORMATION", "nextStep": "d",
     "transformations": {"y": 1, "b": "${y}", "a": [true, null, {"k": "v"}]}},
    {"id": "d", "name": "D", "type": "USER_TASK", "nextStep": "e", "assignee": "ada", "assigneeGroup": "ops",
     "dueIn": "PT5M",
     "form": {"properties": {"ok": {"type": "boolean"}}}},
    {"id": "e", "name": "E", "type": "PARALLEL_GATEWAY", "parallelNextSteps": ["f", "g"], "joinStep": "h"},
    {"id": "f", "name": "F", "type": "WAIT", "nextStep": "h", "keepEarly": true, "duration": "PT1H",
     "boundaryEvents": [{"type": "ERROR", "interrupting": true, "targetStepId": "h"}]},
    {"id": "g", "name": "G", "type": "SERVICE_TASK", "jobType": "j", "retryCount": 2, "nextStep": "h"},
    {"id": "h", "name": "H", "type": "JOIN_GATEWAY", "nextStep": "i"},
    {"id": "i", "name": "I", "type": "END"}]}`

func TestDefinitionsLoseNothing(t *testing.T) {
	t.Run("W-14: what is uploaded is what is read, in its order", func(t *testing.T) {
		definition, err := millrace.ParseDefinition([]byte(everything))
		if err != nil {
			t.Fatal(err)
		}
		client := connect(t, serve(t, &server{}).address)
		uploaded, err := client.UploadDefinition(soon(t), definition)
		if err != nil || uploaded.Version != 7 || uploaded.Warnings[0] != "careful" {
			t.Fatal(uploaded, err)
		}
		back, err := client.GetDefinition(soon(t), "d", 0)
		if err != nil || !reflect.DeepEqual(back, definition) {
			want, _ := json.Marshal(definition)
			got, _ := json.Marshal(back)
			t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
		}
	})
}

func anInstance() *workflowv1.WorkflowInstance {
	return &workflowv1.WorkflowInstance{
		Id: "i1", DefinitionId: "d", DefinitionVersion: 2, Status: workflowv1.InstanceStatus_INSTANCE_STATUS_WAITING,
		CurrentStepIds: []string{"a"}, StartedAt: timestamppb.New(time.UnixMilli(1)), Priority: "high", BusinessKey: "b",
	}
}

func TestAStartOverGRPC(t *testing.T) {
	var tries atomic.Int64
	var keys []string
	engine := &server{
		start: func(_ context.Context, request *workflowv1.StartInstanceRequest) (*workflowv1.StartInstanceResponse, error) {
			keys = append(keys, request.GetIdempotencyKey())
			if tries.Add(1) == 1 {
				return nil, refused(codes.Unavailable, "unavailable")
			}
			return &workflowv1.StartInstanceResponse{Instance: anInstance()}, nil
		},
	}
	client := connect(t, serve(t, engine).address, millrace.WithAPIKey("mill_k"))
	ctx := millrace.ContextWithTrace(soon(t), millrace.TraceContext{Traceparent: "00-a-b-01"})
	type list []string
	instance, err := client.StartInstance(ctx, millrace.StartInstance{
		DefinitionID: "d", Variables: millrace.Variables{"list": list{"a"}, "n": 3, "deep": map[string]int{"x": 1}},
	})
	want := millrace.Instance{
		ID: "i1", DefinitionID: "d", DefinitionVersion: 2, Status: millrace.InstanceStatusWaiting,
		CurrentStepIDs: []string{"a"},
		Variables:      millrace.Variables{}, StartedAt: time.UnixMilli(1).UTC(), Priority: millrace.PriorityHigh,
		BusinessKey: "b",
	}
	if err != nil || !reflect.DeepEqual(instance, want) {
		t.Errorf("%+v %v", instance, err)
	}
	if len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("a start that is repeated is one start: %q", keys)
	}
	for name, value := range map[string]string{
		"authorization": "Bearer mill_k", "idempotency-key": keys[0], "traceparent": "00-a-b-01",
	} {
		if got := engine.metadata.Get(name); len(got) != 1 || got[0] != value {
			t.Errorf("%s: %q", name, got)
		}
	}
	if agent := engine.metadata.Get("user-agent"); !strings.HasPrefix(agent[0], "millrace-go/"+millrace.Version) {
		t.Error(agent)
	}
}

func TestUnknownWordsOverGRPC(t *testing.T) {
	engine := serve(t, &server{})
	client := connect(t, engine.address)
	for status, number := range map[millrace.InstanceStatus]int32{"": 0, "FAILED": 4, "failed": -1, "FAILD": -1} {
		if _, err := client.ListInstances(soon(t), millrace.ListInstancesQuery{Status: status}); err != nil {
			t.Fatal(err)
		}
		if told := int32(engine.listed.GetStatus()); told != number {
			t.Errorf("C-104: the status %q goes out as %d, and 0 would filter nothing", status, told)
		}
	}
	step := millrace.Step{
		ID: "a", Name: "A", Type: "ENDE", BoundaryEvents: []millrace.BoundaryEvent{{Type: "TIMR"}},
	}
	definition := millrace.Definition{ID: "d", Name: "D", Steps: []millrace.Step{step}}
	if _, err := client.UploadDefinition(soon(t), definition); err != nil {
		t.Fatal(err)
	}
	told := engine.uploaded.GetSteps()[0]
	if told.GetType() != -1 || told.GetBoundaryEvents()[0].GetType() != -1 {
		t.Errorf("C-104: unknown words of a definition are told as such, not left out: %v", told)
	}
}

func refused(code codes.Code, reason string, more ...protoadapt.MessageV1) error {
	details := append([]protoadapt.MessageV1{&errdetails.ErrorInfo{Reason: reason, Domain: "millrace"}}, more...)
	told, err := status.New(code, "no").WithDetails(details...)
	if err != nil {
		panic(err)
	}
	return told.Err()
}

func TestErrorsOverGRPC(t *testing.T) {
	retry := &errdetails.RetryInfo{RetryDelay: durationpb.New(7 * time.Second)}
	violations := &errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "$.a", Description: "wrong"},
			{
				Field: "$.b", Description: "is odd: add one",
				LocalizedMessage: &errdetails.LocalizedMessage{Locale: "en", Message: "is odd"},
			},
		},
	}
	for name, one := range map[string]struct {
		told error
		want *millrace.Error
	}{
		"a code with violations": {refused(codes.InvalidArgument, "bad-request", violations),
			&millrace.Error{Code: "bad-request", Status: 400, Details: []millrace.Violation{
				{Path: "$.a", Message: "wrong"},
				{Path: "$.b", Message: "is odd", Hint: "add one"},
			}}},
		"a code with a wait": {refused(codes.ResourceExhausted, "backpressure", retry),
			&millrace.Error{Code: "backpressure", Status: 503, RetryAfter: 7 * time.Second}},
		"a reason in capitals": {
			refused(codes.FailedPrecondition, "LEASE_LOST"), &millrace.Error{Code: "lease-lost", Status: 409}},
		"no code, NOT_FOUND": {
			status.Error(codes.NotFound, "no"), &millrace.Error{Code: "not-found", Status: 404}},
		"no code, ALREADY_EXISTS": {
			status.Error(codes.AlreadyExists, "no"), &millrace.Error{Code: "conflict", Status: 409}},
		"no code, INTERNAL": {
			status.Error(codes.Internal, "no"), &millrace.Error{Code: "internal-error", Status: 500}},
		"no code, PERMISSION_DENIED": {
			status.Error(codes.PermissionDenied, "no"), &millrace.Error{Code: "forbidden", Status: 403}},
	} {
		t.Run(name, func(t *testing.T) {
			engine := &server{get: func(ctx context.Context) (*workflowv1.GetInstanceResponse, error) {
				_ = grpc.SetTrailer(ctx, metadata.Pairs("x-request-id", "r1"))
				return nil, one.told
			}}
			_, err := connect(t, serve(t, engine).address).GetInstance(soon(t), "i", millrace.MaxAttempts(1))
			one.want.Message, one.want.RequestID = "no", "r1"
			var refusal *millrace.Error
			if !errors.As(err, &refusal) || !reflect.DeepEqual(refusal, one.want) {
				t.Errorf("%+v", err)
			}
		})
	}
}

func TestAsidesOverGRPC(t *testing.T) {
	engine := &server{get: func(ctx context.Context) (*workflowv1.GetInstanceResponse, error) {
		_ = grpc.SetTrailer(ctx, metadata.Pairs("warning", `299 - "look out"`, "millrace-version", "9.9.9"))
		return &workflowv1.GetInstanceResponse{Instance: anInstance()}, nil
	}}
	var log bytes.Buffer
	client := connect(t, serve(t, engine).address, logInto(&log))
	if _, err := client.GetInstance(soon(t), "i"); err != nil {
		t.Fatal(err)
	}
	t.Run("W-06: a warning of the trailing metadata is logged", func(t *testing.T) {
		if !strings.Contains(log.String(), `warning="look out"`) || client.ServerVersion() != "9.9.9" {
			t.Error(log.String(), client.ServerVersion())
		}
	})
}

func TestWhatGRPCDoesNotHave(t *testing.T) {
	address := serve(t, &server{}).address
	_, err := connect(t, address).Enqueue(soon(t), millrace.EnqueueJob{Type: "a"})
	if err == nil || !strings.Contains(err.Error(), "millrace.WithREST") {
		t.Error(err)
	}
	rest := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id":"j1"}`) }),
	)
	defer rest.Close()
	job, err := connect(t, address, millrace.WithREST(rest.URL)).Enqueue(soon(t), millrace.EnqueueJob{Type: "a"})
	if err != nil || job.ID != "j1" {
		t.Error(job, err)
	}
	if _, err := millrace.New(address, millrace.WithREST(address)); err == nil {
		t.Error("a gRPC address was taken for REST")
	}
	_, err = connect(t, address).RetryStep(soon(t), millrace.StepRef{InstanceID: "i", StepID: "s"}, nil)
	var old *millrace.ServerTooOldError
	if !errors.As(err, &old) || old.Call != "RetryStep" {
		t.Error(err)
	}
}

func TestFailOverGRPC(t *testing.T) {
	engine := serve(t, &server{get: func(context.Context) (*workflowv1.GetInstanceResponse, error) {
		return &workflowv1.GetInstanceResponse{Instance: anInstance()}, nil
	}})
	closed := httptest.NewServer(nil)
	closed.Close()
	gone := strings.Replace(closed.URL, "http://", "grpc://", 1)
	if _, err := connect(t, gone+","+engine.address).GetInstance(soon(t), "i"); err != nil {
		t.Error(err)
	}
	_, err := connect(t, gone).GetInstance(soon(t), "i", millrace.MaxAttempts(1))
	var failure *millrace.TransportError
	if !errors.As(err, &failure) || failure.Kind != millrace.Unreachable {
		t.Error(err)
	}
}

func TestADeadlineEndsACallOverGRPC(t *testing.T) {
	engine := serve(t, &server{get: func(ctx context.Context) (*workflowv1.GetInstanceResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	ctx, cancel := context.WithTimeout(soon(t), 50*time.Millisecond)
	defer cancel()
	if _, err := connect(t, engine.address).GetInstance(ctx, "i"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
