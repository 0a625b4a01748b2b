// The inbox of user tasks, intake and wake-ups. All of it over REST.

package millrace

import (
	"context"
	"iter"
)

// ListUserTasks reads one page of the inbox, oldest first; open tasks unless a status is given.
func (c *Client) ListUserTasks(
	ctx context.Context, query ListUserTasksQuery, options ...CallOption,
) (UserTaskPage, error) {
	return doREST[UserTaskPage](ctx, c, read("ListUserTasks", options), get("/v1/user-tasks", query))
}

// UserTasks walks every task that matches.
func (c *Client) UserTasks(
	ctx context.Context, query ListUserTasksQuery, options ...CallOption,
) iter.Seq2[UserTask, error] {
	return pages(func(cursor string) ([]UserTask, string, error) {
		query.Cursor = cursor
		page, err := c.ListUserTasks(ctx, query, options...)
		return page.Items, page.NextCursor, err
	})
}

// GetUserTask reads one task, with its form and the variables of its instance.
func (c *Client) GetUserTask(ctx context.Context, id string, options ...CallOption) (UserTask, error) {
	return doREST[UserTask](ctx, c, read("GetUserTask", options), get(path("/v1/user-tasks/%s", id), nil))
}

// ClaimUserTask gives a task to a person; a conflict when another one has it.
func (c *Client) ClaimUserTask(ctx context.Context, id, assignee string, options ...CallOption) (UserTask, error) {
	request := post(path("/v1/user-tasks/%s/claim", id), map[string]string{"assignee": assignee})
	return doREST[UserTask](ctx, c, change("ClaimUserTask", options), request)
}

// UnclaimUserTask gives a task back, so that anyone of its group may claim it. With an assignee only if that person has
// it: a conflict when another one does. The empty string means any holder.
func (c *Client) UnclaimUserTask(ctx context.Context, id, assignee string, options ...CallOption) (UserTask, error) {
	request := post(path("/v1/user-tasks/%s/unclaim", id), UnclaimUserTask{Assignee: assignee})
	return doREST[UserTask](ctx, c, change("UnclaimUserTask", options), request)
}

// DelegateUserTask makes a task that of another person; with From only if that person has it.
func (c *Client) DelegateUserTask(
	ctx context.Context, id string, to DelegateUserTask, options ...CallOption,
) (UserTask, error) {
	request := post(path("/v1/user-tasks/%s/delegate", id), to)
	return doREST[UserTask](ctx, c, change("DelegateUserTask", options), request)
}

// SetUserTaskDue changes when a task is due; without a time it is not due at any time.
func (c *Client) SetUserTaskDue(
	ctx context.Context, id string, due UserTaskDue, options ...CallOption,
) (UserTask, error) {
	request := post(path("/v1/user-tasks/%s/due", id), due)
	return doREST[UserTask](ctx, c, change("SetUserTaskDue", options), request)
}

// Submission is something to be saved now and processed later, once per key.
type Submission struct {
	DefinitionID string
	// Key names the submission: a repeat is answered alike and dropped, whatever its payload.
	Key     string
	Payload Variables
	// LinkingID is an event that the run may have to wait for; see Wake.
	LinkingID string
}

// Intake saves a submission. Submit goes on until it is taken.
func (c *Client) Intake(ctx context.Context, submission Submission, options ...CallOption) (TakenIn, error) {
	options = append([]CallOption{IdempotencyKey(submission.Key)}, options...)
	return doREST[TakenIn](ctx, c, change("Intake", options), submission.request())
}

// GetIntake reads the instance that works on a submission.
func (c *Client) GetIntake(ctx context.Context, definitionID, key string, options ...CallOption) (Instance, error) {
	return doREST[Instance](ctx, c, read("GetIntake", options), get(path("/v1/intake/%s/%s", definitionID, key), nil))
}

// Wake tells the runs that wait for this event not to sit out their delay.
func (c *Client) Wake(ctx context.Context, linkingID string, options ...CallOption) (Woken, error) {
	request := post("/v1/wakeups", map[string]string{"linkingId": linkingID})
	return doREST[Woken](ctx, c, change("Wake", options), request)
}
