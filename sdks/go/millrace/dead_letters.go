// Dead letters: what was given up, looked at, put back or thrown away. Over REST.

package millrace

import (
	"context"
	"iter"
)

// ListDeadLetters reads one page, newest first.
func (c *Client) ListDeadLetters(
	ctx context.Context, query ListDeadLettersQuery, options ...CallOption,
) (DeadLetterPage, error) {
	return doREST[DeadLetterPage](ctx, c, read("ListDeadLetters", options), get("/queues/dlq", query))
}

// DeadLetters walks every one that matches.
func (c *Client) DeadLetters(
	ctx context.Context, query ListDeadLettersQuery, options ...CallOption,
) iter.Seq2[DeadLetter, error] {
	return pages(func(cursor string) ([]DeadLetter, string, error) {
		query.Cursor = cursor
		page, err := c.ListDeadLetters(ctx, query, options...)
		return page.Items, page.NextCursor, err
	})
}

// DeadLetterGroups lists the errors they died of, the most frequent first.
func (c *Client) DeadLetterGroups(ctx context.Context, options ...CallOption) ([]DeadLetterGroup, error) {
	request := get("/queues/dlq/groups", nil)
	answer, err := doREST[items[DeadLetterGroup]](ctx, c, read("DeadLetterGroups", options), request)
	return answer.Items, err
}

// GetDeadLetter reads one with how each of its attempts ended.
func (c *Client) GetDeadLetter(ctx context.Context, id string, options ...CallOption) (DeadLetterDetail, error) {
	return doREST[DeadLetterDetail](ctx, c, read("GetDeadLetter", options), get(path("/queues/dlq/%s", id), nil))
}

// ReplayDeadLetter puts it back into its lane, with its budget of retries as it was.
func (c *Client) ReplayDeadLetter(ctx context.Context, id string, options ...CallOption) (ReplayedDeadLetter, error) {
	request := restRequest{method: "POST", path: path("/queues/dlq/%s/replay", id)}
	return doREST[ReplayedDeadLetter](ctx, c, change("ReplayDeadLetter", options), request)
}

// DiscardDeadLetter throws it away.
func (c *Client) DiscardDeadLetter(ctx context.Context, id string, options ...CallOption) error {
	return c.remove(ctx, change("DiscardDeadLetter", options), path("/queues/dlq/%s", id))
}

// ReplayDeadLetters replays every one that matches; GetBulk follows it.
func (c *Client) ReplayDeadLetters(
	ctx context.Context, request DeadLetterBulkRequest, options ...CallOption,
) (DeadLetterBulk, error) {
	return doREST[DeadLetterBulk](ctx, c, change("ReplayDeadLetters", options), post("/queues/dlq/replay", request))
}

// DiscardDeadLetters throws away every one that matches; GetBulk follows it.
func (c *Client) DiscardDeadLetters(
	ctx context.Context, request DeadLetterBulkRequest, options ...CallOption,
) (DeadLetterBulk, error) {
	return doREST[DeadLetterBulk](ctx, c, change("DiscardDeadLetters", options), post("/queues/dlq/discard", request))
}
