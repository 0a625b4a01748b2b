// The calls of package millrace, over gRPC.

package grpctransport

import (
	"context"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

func (t *transport) UploadDefinition(
	ctx context.Context, call millrace.Call, definition millrace.Definition,
) (millrace.UploadedDefinition, error) {
	message, err := definitionMessage(definition)
	if err != nil {
		return millrace.UploadedDefinition{}, err
	}
	request := &workflowv1.UploadDefinitionRequest{Definition: message}
	answer, err := unary(ctx, t, call, t.engine.UploadDefinition, request)
	return millrace.UploadedDefinition{
		ID: answer.GetId(), Version: int(answer.GetVersion()), UploadedAt: timeOf(answer.GetUploadedAt()),
		Warnings: answer.GetWarnings(),
	}, err
}

func (t *transport) GetDefinition(
	ctx context.Context, call millrace.Call, id string, version int,
) (millrace.Definition, error) {
	request := &workflowv1.GetDefinitionRequest{Id: id, Version: int32(version)}
	answer, err := unary(ctx, t, call, t.engine.GetDefinition, request)
	if err != nil {
		return millrace.Definition{}, err
	}
	return definitionOf(answer.GetDefinition())
}

func (t *transport) ListDefinitions(
	ctx context.Context, call millrace.Call, query millrace.ListDefinitionsQuery,
) (millrace.DefinitionPage, error) {
	request := &workflowv1.ListDefinitionsRequest{
		Keyword: query.Keyword, Page: int32(query.Page), PageSize: int32(query.PageSize),
	}
	answer, err := unary(ctx, t, call, t.engine.ListDefinitions, request)
	return millrace.DefinitionPage{
		Items: each(answer.GetDefinitions(), summaryOf), Page: query.Page, PageSize: query.PageSize,
		Total: int(answer.GetTotal()),
	}, err
}

func (t *transport) StartInstance(
	ctx context.Context, call millrace.Call, start millrace.StartInstance,
) (millrace.Instance, error) {
	variables, err := structOf(start.Variables)
	if err != nil {
		return millrace.Instance{}, err
	}
	request := &workflowv1.StartInstanceRequest{
		DefinitionId: start.DefinitionID, DefinitionVersion: int32(start.DefinitionVersion), Variables: variables,
		BusinessKey: start.BusinessKey, Priority: string(start.Priority), LinkingId: start.LinkingID,
		IdempotencyKey: call.IdempotencyKey,
	}
	answer, err := unary(ctx, t, call, t.engine.StartInstance, request)
	return instanceOf(answer.GetInstance()), err
}

func (t *transport) GetInstance(ctx context.Context, call millrace.Call, id string) (millrace.Instance, error) {
	answer, err := unary(ctx, t, call, t.engine.GetInstance, &workflowv1.GetInstanceRequest{Id: id})
	return instanceOf(answer.GetInstance()), err
}

func (t *transport) ListInstances(
	ctx context.Context, call millrace.Call, query millrace.ListInstancesQuery,
) (millrace.InstancePage, error) {
	status := number(workflowv1.InstanceStatus_value, "INSTANCE_STATUS_", query.Status)
	request := &workflowv1.ListInstancesRequest{
		DefinitionId: query.DefinitionID, Status: workflowv1.InstanceStatus(status), BusinessKey: query.BusinessKey,
		Page: int32(query.Page), PageSize: int32(query.PageSize), Version: int32(query.Version),
		StartedAfter: stampOf(query.StartedAfter), StartedBefore: stampOf(query.StartedBefore),
		Failure: query.Failure, Cursor: query.Cursor,
	}
	answer, err := unary(ctx, t, call, t.engine.ListInstances, request)
	return millrace.InstancePage{
		Items: each(answer.GetInstances(), instanceOf), Total: int(answer.GetTotal()),
		TotalIsExact: answer.GetTotalIsExact(), NextCursor: answer.GetNextCursor(),
	}, err
}

func (t *transport) GetHistory(ctx context.Context, call millrace.Call, id string) ([]millrace.StepExecution, error) {
	answer, err := unary(ctx, t, call, t.engine.GetInstanceHistory, &workflowv1.GetInstanceHistoryRequest{Id: id})
	return each(answer.GetExecutions(), executionOf), err
}

func (t *transport) CancelInstance(
	ctx context.Context, call millrace.Call, id, reason string,
) (millrace.Instance, error) {
	request := &workflowv1.CancelInstanceRequest{Id: id, Reason: reason}
	answer, err := unary(ctx, t, call, t.engine.CancelInstance, request)
	return instanceOf(answer.GetInstance()), err
}

func (t *transport) CompleteUserTask(
	ctx context.Context, call millrace.Call, step millrace.StepRef, done millrace.CompleteUserTask,
) error {
	result, err := structOf(done.Variables)
	if err != nil {
		return err
	}
	request := &workflowv1.CompleteUserTaskRequest{
		InstanceId: step.InstanceID, UserTaskStepId: step.StepID, CompletedBy: done.CompletedBy, Result: result,
	}
	_, err = unary(ctx, t, call, t.engine.CompleteUserTask, request)
	return err
}

func (t *transport) Signal(
	ctx context.Context, call millrace.Call, step millrace.StepRef, variables millrace.Variables,
) error {
	message, err := structOf(variables)
	if err != nil {
		return err
	}
	request := &workflowv1.SignalWaitRequest{InstanceId: step.InstanceID, WaitStepId: step.StepID, Variables: message}
	_, err = unary(ctx, t, call, t.engine.SignalWait, request)
	return err
}

func (t *transport) RetryStep(
	ctx context.Context, call millrace.Call, step millrace.StepRef, variables millrace.Variables,
) (millrace.Instance, error) {
	message, err := structOf(variables)
	if err != nil {
		return millrace.Instance{}, err
	}
	request := &workflowv1.RetryStepRequest{InstanceId: step.InstanceID, StepId: step.StepID, Variables: message}
	answer, err := unary(ctx, t, call, t.engine.RetryStep, request)
	return instanceOf(answer.GetInstance()), err
}
