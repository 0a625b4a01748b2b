// Events: published for every sink, and what an operator does about sinks and about what they did not take. Over REST.

package millrace

import (
	"context"
	"iter"
)

// PublishEvent publishes an event. Its id stays the same however often it is delivered.
func (c *Client) PublishEvent(ctx context.Context, event NewEvent, options ...CallOption) (PublishedEvent, error) {
	return doREST[PublishedEvent](ctx, c, change("PublishEvent", options), post("/v1/events", event))
}

// PublishEvents publishes all of them or none, in their order.
func (c *Client) PublishEvents(ctx context.Context, events NewEvents, options ...CallOption) (PublishedEvents, error) {
	return doREST[PublishedEvents](ctx, c, change("PublishEvents", options), post("/v1/events/bulk", events))
}

// ListSinks says where events go, and how far each sink has come.
func (c *Client) ListSinks(ctx context.Context, options ...CallOption) ([]Sink, error) {
	answer, err := doREST[items[Sink]](ctx, c, read("ListSinks", options), get("/v1/sinks", nil))
	return answer.Items, err
}

// ForgetSink throws away the position and the parked events of a sink.
func (c *Client) ForgetSink(ctx context.Context, sink string, request ForgetSink, options ...CallOption) error {
	_, err := doREST[nothing](ctx, c, change("ForgetSink", options), post(path("/v1/sinks/%s/forget", sink), request))
	return err
}

// ListParkedEvents reads one page of what sinks did not take, in the order of publishing.
func (c *Client) ListParkedEvents(
	ctx context.Context, query ListParkedEventsQuery, options ...CallOption,
) (ParkedEventPage, error) {
	return doREST[ParkedEventPage](ctx, c, read("ListParkedEvents", options), get("/v1/events/parked", query))
}

// ParkedEvents walks every one that matches.
func (c *Client) ParkedEvents(
	ctx context.Context, query ListParkedEventsQuery, options ...CallOption,
) iter.Seq2[ParkedEvent, error] {
	return pages(func(cursor string) ([]ParkedEvent, string, error) {
		query.Cursor = cursor
		page, err := c.ListParkedEvents(ctx, query, options...)
		return page.Items, page.NextCursor, err
	})
}

// ReplayParkedEvent sends it again at once, with all its tries; those behind it follow.
func (c *Client) ReplayParkedEvent(ctx context.Context, sink, id string, options ...CallOption) (ReplayedEvent, error) {
	request := post(path("/v1/events/parked/%s/%s/replay", sink, id), nil)
	return doREST[ReplayedEvent](ctx, c, change("ReplayParkedEvent", options), request)
}

// DiscardParkedEvent gives it up: the sink will never be sent it.
func (c *Client) DiscardParkedEvent(ctx context.Context, sink, id string, options ...CallOption) error {
	return c.remove(ctx, change("DiscardParkedEvent", options), path("/v1/events/parked/%s/%s", sink, id))
}

// ReplayParkedEvents sends every one of a sink again that matches.
func (c *Client) ReplayParkedEvents(
	ctx context.Context, request ParkedChangeRequest, options ...CallOption,
) (ParkedChange, error) {
	return doREST[ParkedChange](ctx, c, change("ReplayParkedEvents", options), post("/v1/events/parked/replay", request))
}

// DiscardParkedEvents gives up every one of a sink that matches.
func (c *Client) DiscardParkedEvents(
	ctx context.Context, request ParkedChangeRequest, options ...CallOption,
) (ParkedChange, error) {
	return doREST[ParkedChange](ctx, c, change("DiscardParkedEvents", options), post("/v1/events/parked/discard", request))
}
