// The calls that every wire has, over REST.

package millrace

import (
	"context"
	"fmt"
	"net/url"
)

// path fills the parts of a path, each escaped.
func path(format string, parts ...string) string {
	escaped := make([]any, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return fmt.Sprintf(format, escaped...)
}

type items[T any] struct {
	Items []T `json:"items"`
}

type nothing struct{}

func (t *restTransport) UploadDefinition(
	ctx context.Context, call Call, definition Definition,
) (UploadedDefinition, error) {
	return sendREST[UploadedDefinition](ctx, t, call, post("/v1/definitions", definition))
}

func (t *restTransport) GetDefinition(ctx context.Context, call Call, id string, version int) (Definition, error) {
	at := path("/v1/definitions/%s", id)
	if version != 0 {
		at += fmt.Sprintf("/versions/%d", version)
	}
	return sendREST[Definition](ctx, t, call, get(at, nil))
}

func (t *restTransport) ListDefinitions(
	ctx context.Context, call Call, query ListDefinitionsQuery,
) (DefinitionPage, error) {
	return sendREST[DefinitionPage](ctx, t, call, get("/v1/definitions", query))
}

func (t *restTransport) StartInstance(ctx context.Context, call Call, request StartInstance) (Instance, error) {
	return sendREST[Instance](ctx, t, call, post("/v1/instances", request))
}

func (t *restTransport) GetInstance(ctx context.Context, call Call, id string) (Instance, error) {
	return sendREST[Instance](ctx, t, call, get(path("/v1/instances/%s", id), nil))
}

func (t *restTransport) ListInstances(ctx context.Context, call Call, query ListInstancesQuery) (InstancePage, error) {
	return sendREST[InstancePage](ctx, t, call, get("/v1/instances", query))
}

func (t *restTransport) GetHistory(ctx context.Context, call Call, id string) ([]StepExecution, error) {
	answer, err := sendREST[items[StepExecution]](ctx, t, call, get(path("/v1/instances/%s/history", id), nil))
	return answer.Items, err
}

func (t *restTransport) CancelInstance(ctx context.Context, call Call, id, reason string) (Instance, error) {
	return sendREST[Instance](ctx, t, call, post(path("/v1/instances/%s/cancel", id), because(reason)))
}

func (t *restTransport) CompleteUserTask(ctx context.Context, call Call, step StepRef, request CompleteUserTask) error {
	at := path("/v1/instances/%s/user-tasks/%s/complete", step.InstanceID, step.StepID)
	_, err := sendREST[nothing](ctx, t, call, post(at, request))
	return err
}

func (t *restTransport) Signal(ctx context.Context, call Call, step StepRef, variables Variables) error {
	if variables == nil {
		variables = Variables{}
	}
	at := path("/v1/instances/%s/signals/%s", step.InstanceID, step.StepID)
	_, err := sendREST[nothing](ctx, t, call, post(at, variables))
	return err
}

func (t *restTransport) RetryStep(ctx context.Context, call Call, step StepRef, variables Variables) (Instance, error) {
	at := path("/v1/instances/%s/steps/%s/retry", step.InstanceID, step.StepID)
	return sendREST[Instance](ctx, t, call, post(at, withVariables(variables)))
}

func (t *restTransport) Poll(ctx context.Context, call Call, request PollRequest) ([]Job, error) {
	answer, err := sendREST[struct {
		Jobs []Job `json:"jobs"`
	}](ctx, t, call, post("/v1/jobs/poll", request))
	return answer.Jobs, err
}

func (t *restTransport) Complete(ctx context.Context, call Call, request CompleteJob) error {
	_, err := sendREST[nothing](ctx, t, call, post("/v1/jobs/complete", request))
	return err
}

func (t *restTransport) Fail(ctx context.Context, call Call, request FailJob) error {
	_, err := sendREST[nothing](ctx, t, call, post("/v1/jobs/fail", request))
	return err
}

func (t *restTransport) Heartbeat(ctx context.Context, call Call, request HeartbeatJob) (HeartbeatResult, error) {
	return sendREST[HeartbeatResult](ctx, t, call, post(path("/v1/jobs/%s/heartbeat", request.JobID), request))
}

func (t *restTransport) Exchange(ctx context.Context, call Call, request ExchangeRequest) (ExchangeResult, error) {
	return sendREST[ExchangeResult](ctx, t, call, post("/v1/jobs/exchange", request))
}

func get(path string, query any) restRequest {
	return restRequest{method: "GET", path: path, query: query}
}

func post(path string, body any) restRequest {
	return restRequest{method: "POST", path: path, body: body}
}

func because(reason string) any {
	if reason == "" {
		return map[string]any{}
	}
	return map[string]any{"reason": reason}
}

func withVariables(variables Variables) any {
	if variables == nil {
		return map[string]any{}
	}
	return map[string]any{"variables": variables}
}
