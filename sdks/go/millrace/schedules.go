// Schedules, and how the engine stands. Over REST.

package millrace

import (
	"context"
	"iter"
)

// ListSchedules reads one page, by id.
func (c *Client) ListSchedules(
	ctx context.Context, query ListSchedulesQuery, options ...CallOption,
) (SchedulePage, error) {
	return doREST[SchedulePage](ctx, c, read("ListSchedules", options), get("/v1/schedules", query))
}

// Schedules walks all of them.
func (c *Client) Schedules(ctx context.Context, options ...CallOption) iter.Seq2[Schedule, error] {
	return pages(func(cursor string) ([]Schedule, string, error) {
		page, err := c.ListSchedules(ctx, ListSchedulesQuery{Cursor: cursor}, options...)
		return page.Items, page.NextCursor, err
	})
}

// CreateSchedule makes one.
func (c *Client) CreateSchedule(ctx context.Context, request ScheduleRequest, options ...CallOption) (Schedule, error) {
	return doREST[Schedule](ctx, c, change("CreateSchedule", options), post("/v1/schedules", request))
}

// GetSchedule reads one with its next times.
func (c *Client) GetSchedule(ctx context.Context, id string, options ...CallOption) (Schedule, error) {
	return doREST[Schedule](ctx, c, read("GetSchedule", options), get(path("/v1/schedules/%s", id), nil))
}

// PutSchedule makes it, or puts it in the place of the one that is there.
func (c *Client) PutSchedule(
	ctx context.Context, id string, request ScheduleRequest, options ...CallOption,
) (Schedule, error) {
	return doREST[Schedule](ctx, c, change("PutSchedule", options), put(path("/v1/schedules/%s", id), request))
}

// ChangeSchedule changes some of it; what is left out stays as it is.
func (c *Client) ChangeSchedule(
	ctx context.Context, id string, request ScheduleChange, options ...CallOption,
) (Schedule, error) {
	patch := restRequest{method: "PATCH", path: path("/v1/schedules/%s", id), body: request}
	return doREST[Schedule](ctx, c, change("ChangeSchedule", options), patch)
}

// DeleteSchedule removes it.
func (c *Client) DeleteSchedule(ctx context.Context, id string, options ...CallOption) error {
	return c.remove(ctx, change("DeleteSchedule", options), path("/v1/schedules/%s", id))
}

// RunSchedule runs it now, besides its times.
func (c *Client) RunSchedule(ctx context.Context, id string, options ...CallOption) (ScheduleRun, error) {
	request := restRequest{method: "POST", path: path("/v1/schedules/%s/run", id)}
	return doREST[ScheduleRun](ctx, c, change("RunSchedule", options), request)
}

// ListScheduleRuns tells what became of its times, newest first.
func (c *Client) ListScheduleRuns(
	ctx context.Context, id string, query ListSchedulesQuery, options ...CallOption,
) (ScheduleRunPage, error) {
	request := get(path("/v1/schedules/%s/runs", id), query)
	return doREST[ScheduleRunPage](ctx, c, read("ListScheduleRuns", options), request)
}

// Overview tells rates, lanes, leases, dead letters and the busiest downstreams, as of now.
func (c *Client) Overview(ctx context.Context, options ...CallOption) (Overview, error) {
	return doREST[Overview](ctx, c, read("Overview", options), get("/v1/overview", nil))
}

// Stats are counts and gauges over a window: PT15M, PT1H or P1D.
func (c *Client) Stats(ctx context.Context, window Duration, options ...CallOption) (Stats, error) {
	query := struct {
		Window Duration `json:"window,omitzero"`
	}{window}
	return doREST[Stats](ctx, c, read("Stats", options), get("/v1/stats", query))
}

// Health tells which part of the engine is well, and which is not.
func (c *Client) Health(ctx context.Context, options ...CallOption) (Health, error) {
	return doREST[Health](ctx, c, read("Health", options), get("/health", nil))
}

// Session tells whether a key is needed, whose it is and what it may do.
func (c *Client) Session(ctx context.Context, options ...CallOption) (Session, error) {
	return doREST[Session](ctx, c, read("Session", options), get("/v1/session", nil))
}

// Ready is nil when the engine can take work.
func (c *Client) Ready(ctx context.Context, options ...CallOption) error {
	_, err := doREST[nothing](ctx, c, read("Ready", options), get("/readyz", nil))
	return err
}
