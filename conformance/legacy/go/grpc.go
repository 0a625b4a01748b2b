// gRPC with stubs of the numbers below 100: plaintext, no metadata, no deadline.

package main

import (
	"context"
	"encoding/json"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/millrace/millrace/conformance/legacy/go/stubs"
)

type grpcEngine struct {
	conn   *grpc.ClientConn
	engine stubs.WorkflowEngineClient
}

func openGRPC(host string) (*grpcEngine, error) {
	conn, err := grpc.NewClient(host, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	return &grpcEngine{conn: conn, engine: stubs.NewWorkflowEngineClient(conn)}, nil
}

func (e *grpcEngine) close() { _ = e.conn.Close() }

// pageSize is what existing clients ask for.
const pageSize = 100

func (e *grpcEngine) call(name string, given fields) (json.RawMessage, error) {
	switch name {
	case "uploadDefinition":
		return e.upload(given)
	case "getDefinition":
		answer, err := sent(e.engine.GetDefinition, &stubs.GetDefinitionRequest{}, given)
		return written(answer.GetDefinition(), err, definitionShape)
	case "listDefinitions":
		answer, err := sent(e.engine.ListDefinitions, &stubs.ListDefinitionsRequest{PageSize: pageSize}, given)
		return writtenList("items", answer.GetDefinitions(), object{"total": answer.GetTotal()}, err, definitionShape)
	case "startInstance":
		answer, err := sent(e.engine.StartInstance, &stubs.StartInstanceRequest{}, given)
		return written(answer.GetInstance(), err, instanceShape)
	case "getInstance":
		answer, err := sent(e.engine.GetInstance, &stubs.GetInstanceRequest{}, given)
		return written(answer.GetInstance(), err, instanceShape)
	case "listInstances":
		answer, err := sent(e.engine.ListInstances, &stubs.ListInstancesRequest{PageSize: pageSize}, given)
		return writtenList("items", answer.GetInstances(), object{"total": answer.GetTotal()}, err, instanceShape)
	case "getHistory":
		answer, err := sent(e.engine.GetInstanceHistory, &stubs.GetInstanceHistoryRequest{}, given)
		return writtenList("items", answer.GetExecutions(), object{}, err, object{})
	case "cancelInstance":
		answer, err := sent(e.engine.CancelInstance, &stubs.CancelInstanceRequest{}, given)
		return written(answer.GetInstance(), err, instanceShape)
	case "completeUserTask":
		return nothing(sent(e.engine.CompleteUserTask, &stubs.CompleteUserTaskRequest{},
			renamed(given, "stepId", "userTaskStepId", "variables", "result")))
	case "signal":
		return nothing(sent(e.engine.SignalWait, &stubs.SignalWaitRequest{}, renamed(given, "stepId", "waitStepId")))
	case "poll":
		answer, err := sent(e.engine.PollJobs, &stubs.PollJobsRequest{}, given)
		return writtenList("jobs", answer.GetJobs(), object{}, err, jobShape)
	case "complete":
		return nothing(sent(e.engine.CompleteJob, &stubs.CompleteJobRequest{}, renamed(given, "variables", "variablesToSet")))
	case "fail":
		return nothing(sent(e.engine.FailJob, &stubs.FailJobRequest{}, given))
	case "discover":
		return e.discover()
	}
	return nil, notSayable(name)
}

func (e *grpcEngine) upload(given fields) (json.RawMessage, error) {
	definition, err := definitionMessage(given["definition"])
	if err != nil {
		return nil, err
	}
	answer, err := e.engine.UploadDefinition(context.Background(), &stubs.UploadDefinitionRequest{Definition: definition})
	return written(answer, refusalOf(err), object{})
}

// sent reads the fields of a command into the request and sends it.
func sent[Q proto.Message, A any](
	send func(context.Context, Q, ...grpc.CallOption) (A, error), request Q, given fields,
) (A, error) {
	if err := readInto(request, given); err != nil {
		var none A
		return none, err
	}
	answer, err := send(context.Background(), request)
	return answer, refusalOf(err)
}

func nothing[A any](_ A, err error) (json.RawMessage, error) { return nil, err }

// The status is all that old clients see: of the codes that share one, it is the one that a scenario of theirs meets.
var codeNames = map[codes.Code]string{
	codes.InvalidArgument: "bad-request", codes.NotFound: "not-found", codes.FailedPrecondition: "conflict",
	codes.AlreadyExists: "conflict", codes.Unauthenticated: "unauthenticated", codes.PermissionDenied: "forbidden",
	codes.ResourceExhausted: "payload-too-large", codes.Unavailable: "unavailable",
}

func refusalOf(err error) error {
	if err == nil {
		return nil
	}
	told := status.Convert(err)
	code, ok := codeNames[told.Code()]
	if !ok {
		code = "internal-error"
	}
	return &refused{code: code, message: told.Message(), retryable: told.Code() == codes.Unavailable}
}
