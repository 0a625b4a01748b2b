// Definitions and instances.

package millrace

import (
	"context"
	"iter"
	"time"
)

// UploadedDefinition is what an upload answers.
type UploadedDefinition struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	// Name and Description are empty over gRPC.
	Name        string    `json:"name,omitzero"`
	Description string    `json:"description,omitzero"`
	UploadedAt  time.Time `json:"uploadedAt"`
	// Warnings are about what was accepted and may surprise.
	Warnings []string `json:"warnings,omitzero"`
}

// UploadDefinition stores a definition. The same content as the latest version gives that version again.
func (c *Client) UploadDefinition(
	ctx context.Context, definition Definition, options ...CallOption,
) (UploadedDefinition, error) {
	send := func(ctx context.Context, t Transport, call Call) (UploadedDefinition, error) {
		return t.UploadDefinition(ctx, call, definition)
	}
	return do(ctx, c, change("UploadDefinition", options), send)
}

// GetDefinition reads a version of a definition; 0 is the latest.
func (c *Client) GetDefinition(ctx context.Context, id string, version int, options ...CallOption) (Definition, error) {
	send := func(ctx context.Context, t Transport, call Call) (Definition, error) {
		return t.GetDefinition(ctx, call, id, version)
	}
	return do(ctx, c, read("GetDefinition", options), send)
}

// ListDefinitions reads a page of the latest versions.
func (c *Client) ListDefinitions(
	ctx context.Context, query ListDefinitionsQuery, options ...CallOption,
) (DefinitionPage, error) {
	send := func(ctx context.Context, t Transport, call Call) (DefinitionPage, error) {
		return t.ListDefinitions(ctx, call, query)
	}
	return do(ctx, c, read("ListDefinitions", options), send)
}

// ListDefinitionVersions reads the versions of a definition, newest first. REST only.
func (c *Client) ListDefinitionVersions(
	ctx context.Context, id string, options ...CallOption,
) ([]DefinitionVersion, error) {
	request := get(path("/v1/definitions/%s/versions", id), nil)
	answer, err := doREST[items[DefinitionVersion]](ctx, c, read("ListDefinitionVersions", options), request)
	return answer.Items, err
}

// GetDefinitionActivity tells at which steps the live instances stand, and how many for longer than olderThan, which
// may be empty. REST only.
func (c *Client) GetDefinitionActivity(
	ctx context.Context, id string, olderThan Duration, options ...CallOption,
) (DefinitionActivity, error) {
	query := struct {
		OlderThan Duration `json:"olderThan,omitzero"`
	}{olderThan}
	request := get(path("/v1/definitions/%s/activity", id), query)
	return doREST[DefinitionActivity](ctx, c, read("GetDefinitionActivity", options), request)
}

// StartInstance starts an instance. A call that is repeated by the SDK, or with the same IdempotencyKey, is one start.
func (c *Client) StartInstance(ctx context.Context, request StartInstance, options ...CallOption) (Instance, error) {
	send := func(ctx context.Context, t Transport, call Call) (Instance, error) {
		return t.StartInstance(ctx, call, request)
	}
	return do(ctx, c, change("StartInstance", options), send)
}

// GetInstance reads an instance.
func (c *Client) GetInstance(ctx context.Context, id string, options ...CallOption) (Instance, error) {
	send := func(ctx context.Context, t Transport, call Call) (Instance, error) {
		return t.GetInstance(ctx, call, id)
	}
	return do(ctx, c, read("GetInstance", options), send)
}

// ListInstances reads one page, newest first.
func (c *Client) ListInstances(
	ctx context.Context, query ListInstancesQuery, options ...CallOption,
) (InstancePage, error) {
	send := func(ctx context.Context, t Transport, call Call) (InstancePage, error) {
		return t.ListInstances(ctx, call, query)
	}
	return do(ctx, c, read("ListInstances", options), send)
}

// Instances walks every instance that matches, page after page. It ends with the first error.
func (c *Client) Instances(
	ctx context.Context, query ListInstancesQuery, options ...CallOption,
) iter.Seq2[Instance, error] {
	return pages(func(cursor string) ([]Instance, string, error) {
		query.Cursor = cursor
		page, err := c.ListInstances(ctx, query, options...)
		return page.Items, page.NextCursor, err
	})
}

// GetHistory reads the step executions of an instance, oldest first.
func (c *Client) GetHistory(ctx context.Context, instanceID string, options ...CallOption) ([]StepExecution, error) {
	send := func(ctx context.Context, t Transport, call Call) ([]StepExecution, error) {
		return t.GetHistory(ctx, call, instanceID)
	}
	return do(ctx, c, read("GetHistory", options), send)
}

// GetAudit reads the audit trail of an instance after a line; 0 is the whole of it. REST only.
func (c *Client) GetAudit(
	ctx context.Context, instanceID string, afterSeq int, options ...CallOption,
) ([]AuditEntry, error) {
	query := struct {
		AfterSeq int `json:"afterSeq,omitzero"`
	}{afterSeq}
	request := get(path("/v1/instances/%s/audit", instanceID), query)
	answer, err := doREST[items[AuditEntry]](ctx, c, read("GetAudit", options), request)
	return answer.Items, err
}

// GetSteps reads the steps of an instance with their attempts, errors and waits, alike for a list, a function and a
// graph. REST only.
func (c *Client) GetSteps(ctx context.Context, instanceID string, options ...CallOption) (RunSteps, error) {
	request := get(path("/v1/instances/%s/steps", instanceID), nil)
	return doREST[RunSteps](ctx, c, read("GetSteps", options), request)
}

// SearchInstances finds instances by the beginning of a key, a business key or an id. REST only.
func (c *Client) SearchInstances(
	ctx context.Context, query SearchInstancesQuery, options ...CallOption,
) ([]FoundInstance, error) {
	request := get("/v1/search", query)
	answer, err := doREST[items[FoundInstance]](ctx, c, read("SearchInstances", options), request)
	return answer.Items, err
}

// GetWaiting tells why an instance is not moving. REST only.
func (c *Client) GetWaiting(ctx context.Context, instanceID string, options ...CallOption) ([]WaitingReason, error) {
	return c.reasons(ctx, read("GetWaiting", options), path("/v1/instances/%s/waiting", instanceID))
}

func (c *Client) reasons(ctx context.Context, op operation, at string) ([]WaitingReason, error) {
	answer, err := doREST[struct {
		Reasons []WaitingReason `json:"reasons"`
	}](ctx, c, op, get(at, nil))
	return answer.Reasons, err
}

// CancelInstance cancels an instance and everything below it. The reason may be empty.
func (c *Client) CancelInstance(ctx context.Context, id, reason string, options ...CallOption) (Instance, error) {
	send := func(ctx context.Context, t Transport, call Call) (Instance, error) {
		return t.CancelInstance(ctx, call, id, reason)
	}
	return do(ctx, c, change("CancelInstance", options), send)
}

// CompleteUserTask ends the open user task of a step.
func (c *Client) CompleteUserTask(
	ctx context.Context, step StepRef, request CompleteUserTask, options ...CallOption,
) error {
	send := func(ctx context.Context, t Transport, call Call) (nothing, error) {
		return nothing{}, t.CompleteUserTask(ctx, call, step, request)
	}
	_, err := do(ctx, c, change("CompleteUserTask", options), send)
	return err
}

// Signal ends a WAIT step; the variables are merged into the instance's.
func (c *Client) Signal(ctx context.Context, step StepRef, variables Variables, options ...CallOption) error {
	send := func(ctx context.Context, t Transport, call Call) (nothing, error) {
		return nothing{}, t.Signal(ctx, call, step, variables)
	}
	_, err := do(ctx, c, change("Signal", options), send)
	return err
}

// RetryStep enters the failed step of a failed instance again; the variables, which may be nil, are merged first.
func (c *Client) RetryStep(
	ctx context.Context, step StepRef, variables Variables, options ...CallOption,
) (Instance, error) {
	send := func(ctx context.Context, t Transport, call Call) (Instance, error) {
		return t.RetryStep(ctx, call, step, variables)
	}
	return do(ctx, c, change("RetryStep", options), send)
}

// RetryInstance retries a failed instance at the step that failed it. REST only.
func (c *Client) RetryInstance(
	ctx context.Context, id string, variables Variables, options ...CallOption,
) (Instance, error) {
	request := post(path("/v1/instances/%s/retry", id), withVariables(variables))
	return doREST[Instance](ctx, c, change("RetryInstance", options), request)
}

// RestartInstance starts a new instance in the place of one that has ended, which stays as it is. REST only.
func (c *Client) RestartInstance(
	ctx context.Context, id string, restart RestartInstance, options ...CallOption,
) (Instance, error) {
	request := post(path("/v1/instances/%s/restart", id), restart)
	return doREST[Instance](ctx, c, change("RestartInstance", options), request)
}

// StartBulk cancels or retries every instance that matches; GetBulk follows it. REST only.
func (c *Client) StartBulk(ctx context.Context, request BulkRequest, options ...CallOption) (Bulk, error) {
	return doREST[Bulk](ctx, c, change("StartBulk", options), post("/v1/instances/bulk", request))
}

// GetBulk tells how far a bulk operation is. REST only.
func (c *Client) GetBulk(ctx context.Context, id string, options ...CallOption) (Bulk, error) {
	return doREST[Bulk](ctx, c, read("GetBulk", options), get(path("/v1/bulk/%s", id), nil))
}
