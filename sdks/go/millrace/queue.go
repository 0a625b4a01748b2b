// Jobs that stand alone, and what steers the queue. All of it over REST.

package millrace

import (
	"context"
	"iter"
)

// Enqueue puts a job into the queue, for the workers of its type.
func (c *Client) Enqueue(ctx context.Context, job EnqueueJob, options ...CallOption) (StandaloneJob, error) {
	if job.Payload == nil {
		job.Payload = map[string]any{}
	}
	return doREST[StandaloneJob](ctx, c, change("Enqueue", options), post("/jobs", job))
}

// EnqueueMany puts up to 1000 jobs into the queue; their ids are in the order of the jobs.
func (c *Client) EnqueueMany(ctx context.Context, jobs []EnqueueJob, options ...CallOption) ([]string, error) {
	answer, err := doREST[struct {
		IDs []string `json:"ids"`
	}](ctx, c, change("EnqueueMany", options), post("/jobs/bulk", map[string]any{"jobs": jobs}))
	return answer.IDs, err
}

// GetJob tells how a job stands and what came of it.
func (c *Client) GetJob(ctx context.Context, id string, options ...CallOption) (StandaloneJob, error) {
	return doREST[StandaloneJob](ctx, c, read("GetJob", options), get(path("/jobs/%s", id), nil))
}

// CancelJob cancels a job that has not ended. The reason may be empty.
func (c *Client) CancelJob(ctx context.Context, id, reason string, options ...CallOption) (StandaloneJob, error) {
	request := post(path("/jobs/%s/cancel", id), because(reason))
	return doREST[StandaloneJob](ctx, c, change("CancelJob", options), request)
}

// GetJobWaiting tells why a job is not moving.
func (c *Client) GetJobWaiting(ctx context.Context, id string, options ...CallOption) ([]WaitingReason, error) {
	return c.reasons(ctx, read("GetJobWaiting", options), path("/v1/jobs/%s/waiting", id))
}

// ListJobs reads one page of the jobs that are not done, of workflows too: those that are ready unless a status is
// given.
func (c *Client) ListJobs(ctx context.Context, query ListJobsQuery, options ...CallOption) (LiveJobPage, error) {
	return doREST[LiveJobPage](ctx, c, read("ListJobs", options), get("/v1/jobs", query))
}

// Jobs walks every job that matches.
func (c *Client) Jobs(ctx context.Context, query ListJobsQuery, options ...CallOption) iter.Seq2[LiveJob, error] {
	return pages(func(cursor string) ([]LiveJob, string, error) {
		query.Cursor = cursor
		page, err := c.ListJobs(ctx, query, options...)
		return page.Items, page.NextCursor, err
	})
}

// ListEndedJobs reads one page of the standalone jobs that have ended, newest first.
func (c *Client) ListEndedJobs(
	ctx context.Context, query ListEndedJobsQuery, options ...CallOption,
) (EndedJobPage, error) {
	return doREST[EndedJobPage](ctx, c, read("ListEndedJobs", options), get("/v1/jobs/ended", query))
}

// EndedJobs walks every job that has ended and matches.
func (c *Client) EndedJobs(
	ctx context.Context, query ListEndedJobsQuery, options ...CallOption,
) iter.Seq2[EndedJob, error] {
	return pages(func(cursor string) ([]EndedJob, string, error) {
		query.Cursor = cursor
		page, err := c.ListEndedJobs(ctx, query, options...)
		return page.Items, page.NextCursor, err
	})
}

// GetJobAttempts tells the attempts of a standalone job that are over, the latest first.
func (c *Client) GetJobAttempts(ctx context.Context, id string, options ...CallOption) ([]JobAttempt, error) {
	request := get(path("/v1/jobs/%s/attempts", id), nil)
	list, err := doREST[JobAttemptList](ctx, c, read("GetJobAttempts", options), request)
	return list.Items, err
}

// RerunJob enqueues a new job with the payload of one that has ended. A dead letter is replayed instead.
func (c *Client) RerunJob(ctx context.Context, id string, options ...CallOption) (RerunJob, error) {
	return doREST[RerunJob](ctx, c, change("RerunJob", options), post(path("/v1/jobs/%s/rerun", id), nil))
}

// QueueMetrics tells depths, watermarks, and whether jobs are accepted.
func (c *Client) QueueMetrics(ctx context.Context, options ...CallOption) (QueueMetrics, error) {
	return doREST[QueueMetrics](ctx, c, read("QueueMetrics", options), get("/queues/metrics", nil))
}

// Weights tells how the priorities share the claims.
func (c *Client) Weights(ctx context.Context, options ...CallOption) (WeightsInForce, error) {
	return doREST[WeightsInForce](ctx, c, read("Weights", options), get("/queues/weights", nil))
}

// SetWeights takes whole numbers that add up to 100.
func (c *Client) SetWeights(ctx context.Context, weights Weights, options ...CallOption) (WeightsInForce, error) {
	request := restRequest{method: "PATCH", path: "/queues/weights", body: weights}
	return doREST[WeightsInForce](ctx, c, change("SetWeights", options), request)
}

// ResetWeights goes back to the configured weights.
func (c *Client) ResetWeights(ctx context.Context, options ...CallOption) error {
	return c.remove(ctx, change("ResetWeights", options), "/queues/weights")
}

// Watermarks tells where admission stops and goes on.
func (c *Client) Watermarks(ctx context.Context, options ...CallOption) (WatermarksInForce, error) {
	return doREST[WatermarksInForce](ctx, c, read("Watermarks", options), get("/queues/watermarks", nil))
}

// SetWatermarks lets admission stop and go on elsewhere.
func (c *Client) SetWatermarks(
	ctx context.Context, marks Watermarks, options ...CallOption,
) (WatermarksInForce, error) {
	return doREST[WatermarksInForce](ctx, c, change("SetWatermarks", options), put("/queues/watermarks", marks))
}

// ResetWatermarks goes back to the configured watermarks.
func (c *Client) ResetWatermarks(ctx context.Context, options ...CallOption) error {
	return c.remove(ctx, change("ResetWatermarks", options), "/queues/watermarks")
}

// Pauses lists what is paused, by whom and why.
func (c *Client) Pauses(ctx context.Context, options ...CallOption) ([]Pause, error) {
	answer, err := doREST[items[Pause]](ctx, c, read("Pauses", options), get("/v1/pauses", nil))
	return answer.Items, err
}

// Pause hands out nothing of a priority, a job type, a definition or a downstream.
func (c *Client) Pause(ctx context.Context, request PauseRequest, options ...CallOption) (Pause, error) {
	return doREST[Pause](ctx, c, change("Pause", options), post("/v1/pauses", request))
}

// Resume hands out what was kept.
func (c *Client) Resume(ctx context.Context, kind PauseKind, name string, options ...CallOption) error {
	return c.remove(ctx, change("Resume", options), path("/v1/pauses/%s/%s", string(kind), name))
}

// PauseQueue hands out nothing of a priority, until ResumeQueue. The reason may be empty.
func (c *Client) PauseQueue(ctx context.Context, name Priority, reason string, options ...CallOption) error {
	request := post(path("/queues/%s/pause", string(name)), because(reason))
	_, err := doREST[nothing](ctx, c, change("PauseQueue", options), request)
	return err
}

// ResumeQueue hands out the jobs of a priority again. The reason may be empty.
func (c *Client) ResumeQueue(ctx context.Context, name Priority, reason string, options ...CallOption) error {
	request := post(path("/queues/%s/resume", string(name)), because(reason))
	_, err := doREST[nothing](ctx, c, change("ResumeQueue", options), request)
	return err
}

// Downstreams lists what the downstreams can take, and how they stand.
func (c *Client) Downstreams(ctx context.Context, options ...CallOption) ([]Downstream, error) {
	answer, err := doREST[items[Downstream]](ctx, c, read("Downstreams", options), get("/v1/downstreams", nil))
	return answer.Items, err
}

// Downstream reads one of them.
func (c *Client) Downstream(ctx context.Context, name string, options ...CallOption) (Downstream, error) {
	return doREST[Downstream](ctx, c, read("Downstream", options), get(path("/v1/downstreams/%s", name), nil))
}

// SetDownstream sets these limits and no others: what is left out is not limited.
func (c *Client) SetDownstream(
	ctx context.Context, name string, limits DownstreamLimits, options ...CallOption,
) (Downstream, error) {
	return doREST[Downstream](ctx, c, change("SetDownstream", options), put(path("/v1/downstreams/%s", name), limits))
}

// DeleteDownstream lifts the limits.
func (c *Client) DeleteDownstream(ctx context.Context, name string, options ...CallOption) error {
	return c.remove(ctx, change("DeleteDownstream", options), path("/v1/downstreams/%s", name))
}

// JobTypes lists the job types and their settings.
func (c *Client) JobTypes(ctx context.Context, options ...CallOption) ([]JobType, error) {
	answer, err := doREST[items[JobType]](ctx, c, read("JobTypes", options), get("/v1/job-types", nil))
	return answer.Items, err
}

// SetJobType says how long an attempt may run, for jobs that name no time.
func (c *Client) SetJobType(
	ctx context.Context, name string, settings JobTypeSettings, options ...CallOption,
) (JobType, error) {
	return doREST[JobType](ctx, c, change("SetJobType", options), put(path("/v1/job-types/%s", name), settings))
}

// Workers lists the workers that ask for jobs or have some.
func (c *Client) Workers(ctx context.Context, options ...CallOption) (WorkerList, error) {
	return doREST[WorkerList](ctx, c, read("Workers", options), get("/v1/workers", nil))
}

func put(path string, body any) restRequest {
	return restRequest{method: "PUT", path: path, body: body}
}

func (c *Client) remove(ctx context.Context, op operation, at string) error {
	_, err := doREST[nothing](ctx, c, op, restRequest{method: "DELETE", path: at})
	return err
}
