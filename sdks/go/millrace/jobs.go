// The calls of a worker: poll, complete, fail, heartbeat, exchange, stream.

package millrace

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// HeartbeatJob asks for a longer lease.
type HeartbeatJob struct {
	JobID        string `json:"-"`
	WorkerID     string `json:"workerId"`
	LeaseToken   string `json:"leaseToken,omitzero"`
	LeaseSeconds int    `json:"leaseSeconds,omitzero"`
	// WithVariables brings those of the job too: of a dispatch through Kafka whose message had no room for them.
	WithVariables bool `json:"withVariables,omitzero"`
}

var errNoWorkerID = errors.New(
	"a worker id is needed: give it to the request, or to the client with millrace.WithWorkerID")

func workerCall(name string, options []CallOption) operation {
	return operation{name: name, worker: true, options: options}
}

func (c *Client) signed(workerID *string) error {
	if *workerID == "" {
		*workerID = c.settings.workerID
	}
	if *workerID == "" {
		return errNoWorkerID
	}
	return nil
}

// Poll claims jobs, perhaps none. It is not repeated: an answer that was lost may have claimed some, which come back
// when their lease ends.
func (c *Client) Poll(ctx context.Context, request PollRequest, options ...CallOption) ([]Job, error) {
	if err := c.signed(&request.WorkerID); err != nil {
		return nil, err
	}
	op := workerCall("Poll", options)
	op.repeat, op.wait = unsent, time.Duration(request.WaitSeconds)*time.Second
	send := func(ctx context.Context, t Transport, call Call) ([]Job, error) {
		return t.Poll(ctx, call, request)
	}
	return do(ctx, c, op, send)
}

// Complete reports that a job is done.
func (c *Client) Complete(ctx context.Context, request CompleteJob, options ...CallOption) error {
	if err := c.signed(&request.WorkerID); err != nil {
		return err
	}
	send := func(ctx context.Context, t Transport, call Call) (nothing, error) {
		return nothing{}, t.Complete(ctx, call, request)
	}
	_, err := do(ctx, c, workerCall("Complete", options), send)
	return err
}

// Fail reports that a job failed.
func (c *Client) Fail(ctx context.Context, request FailJob, options ...CallOption) error {
	if err := c.signed(&request.WorkerID); err != nil {
		return err
	}
	send := func(ctx context.Context, t Transport, call Call) (nothing, error) {
		return nothing{}, t.Fail(ctx, call, request)
	}
	_, err := do(ctx, c, workerCall("Fail", options), send)
	return err
}

// Heartbeat extends the lease of a job.
func (c *Client) Heartbeat(ctx context.Context, request HeartbeatJob, options ...CallOption) (HeartbeatResult, error) {
	if err := c.signed(&request.WorkerID); err != nil {
		return HeartbeatResult{}, err
	}
	send := func(ctx context.Context, t Transport, call Call) (HeartbeatResult, error) {
		return t.Heartbeat(ctx, call, request)
	}
	return do(ctx, c, workerCall("Heartbeat", options), send)
}

// Exchange reports up to 500 jobs and asks for more in one round trip. With reports it never waits.
func (c *Client) Exchange(ctx context.Context, request ExchangeRequest, options ...CallOption) (ExchangeResult, error) {
	if err := c.signed(&request.WorkerID); err != nil {
		return ExchangeResult{}, err
	}
	op := workerCall("Exchange", options)
	if request.Poll != nil {
		op.repeat = unsent
		if len(request.Completed)+len(request.Failed) == 0 {
			op.wait = time.Duration(request.Poll.WaitSeconds) * time.Second
		}
	}
	send := func(ctx context.Context, t Transport, call Call) (ExchangeResult, error) {
		return t.Exchange(ctx, call, request)
	}
	return do(ctx, c, op, send)
}

// OpenStream is how a stream of jobs begins.
type OpenStream struct {
	WorkerID     string
	JobTypes     []string
	LeaseSeconds int
	// Credit is how many jobs the worker can take.
	Credit int
}

// StartedJob names a job whose handler has started.
type StartedJob struct {
	JobID      string
	LeaseToken string
}

// JobStream has jobs pushed as they come. Receive is for one goroutine, the other methods for another.
type JobStream interface {
	// Receive waits for jobs; each takes one off the credit.
	Receive() ([]Job, error)
	// AddCredit says that the worker can take more jobs.
	AddCredit(more int) error
	// Started says that handlers have started. Jobs that were not are given to others when the stream ends.
	Started(jobs []StartedJob) error
	// CloseSend says that the worker wants no more jobs.
	CloseSend() error
}

// JobStreamer is a transport that can push jobs.
type JobStreamer interface {
	StreamJobs(ctx context.Context, open OpenStream) (JobStream, error)
}

// StreamJobs opens a stream to one engine; it ends with the context. gRPC only.
func (c *Client) StreamJobs(ctx context.Context, open OpenStream) (JobStream, error) {
	if err := c.signed(&open.WorkerID); err != nil {
		return nil, err
	}
	at, transport := c.wire.use()
	streamer, ok := transport.(JobStreamer)
	if !ok {
		return nil, fmt.Errorf("jobs are streamed over gRPC only: use a grpc:// address, or poll")
	}
	stream, err := streamer.StreamJobs(ctx, open)
	if err != nil && failsOver(err) {
		c.wire.leave(at)
	}
	if err != nil {
		return nil, c.explain(asked{"StreamJobs", c.wire.address(at)}, err)
	}
	return &failoverStream{JobStream: stream, client: c, at: at}, nil
}

// failoverStream lets the next stream go to the next address when this one breaks.
type failoverStream struct {
	JobStream
	client *Client
	at     int64
}

func (s *failoverStream) Receive() ([]Job, error) {
	jobs, err := s.JobStream.Receive()
	if err == nil {
		return jobs, nil
	}
	if failsOver(err) {
		s.client.wire.leave(s.at)
	}
	return nil, s.client.explain(asked{"StreamJobs", s.client.wire.address(s.at)}, err)
}
