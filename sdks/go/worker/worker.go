// The worker: its parts, its start and its stop.

package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// Engine is what a worker needs of a client; *millrace.Client is one.
type Engine interface {
	Poll(ctx context.Context, request millrace.PollRequest, options ...millrace.CallOption) ([]millrace.Job, error)
	Complete(ctx context.Context, request millrace.CompleteJob, options ...millrace.CallOption) error
	Fail(ctx context.Context, request millrace.FailJob, options ...millrace.CallOption) error
	Heartbeat(
		ctx context.Context, request millrace.HeartbeatJob, options ...millrace.CallOption,
	) (millrace.HeartbeatResult, error)
	Exchange(
		ctx context.Context, request millrace.ExchangeRequest, options ...millrace.CallOption,
	) (millrace.ExchangeResult, error)
	StreamJobs(ctx context.Context, open millrace.OpenStream) (millrace.JobStream, error)
}

// mostJobs is how many one request may ask for.
const mostJobs = 100

// Worker runs the handlers of a registry.
type Worker struct {
	engine   Engine
	settings settings
	slots    *slots
	reports  *reportLane

	// draining ends when no more jobs are wanted, over when nothing more is delivered.
	draining    context.Context
	stopAsking  context.CancelFunc
	over        context.Context
	stopForGood context.CancelCauseFunc
	// group has the lanes; Stop waits for them.
	group sync.WaitGroup

	mu      sync.Mutex
	started bool
	stopped *Result
}

// Result says how a worker ended.
type Result struct {
	// Drained: everything that was running finished and was reported.
	Drained bool
	// Unfinished handlers were left running; their jobs come back when the leases end.
	Unfinished int
}

// New makes a worker. Its id names it in leases and in the audit: one for each process.
func New(engine Engine, id string, handlers *Registry, options ...Option) (*Worker, error) {
	s, err := readOptions(id, handlers, options)
	if err != nil {
		return nil, err
	}
	w := &Worker{engine: engine, settings: s, slots: newSlots(s.concurrency)}
	w.over, w.stopForGood = context.WithCancelCause(context.Background())
	w.draining, w.stopAsking = context.WithCancel(w.over)
	w.reports = newReportLane(w)
	return w, nil
}

// Start begins to ask for jobs and returns; Stop ends it. A worker starts once.
func (w *Worker) Start() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started {
		return errors.New("this worker was started before; make a new one")
	}
	w.started = true
	w.group.Go(func() { w.reports.run(w.over) })
	switch {
	case w.settings.source != nil:
		return w.settings.source.Open(&Desk{w: w})
	case w.settings.mode == Stream:
		lane := &streamLane{w: w}
		w.group.Go(func() { lane.run(w.draining) })
	default:
		lane := &pollLane{w: w}
		w.group.Go(func() { lane.run(w.draining) })
	}
	return nil
}

// Run starts the worker and, when the context ends, drains it for as long as WithStopTimeout says.
func (w *Worker) Run(ctx context.Context) (Result, error) {
	if err := w.Start(); err != nil {
		return Result{}, err
	}
	<-ctx.Done()
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.settings.stopTimeout)
	defer cancel()
	return w.Stop(patience), nil
}

// Stop asks for no more jobs and waits for handlers and their reports, until the context ends. Handlers that are left
// are told to stop by their context and not waited for.
func (w *Worker) Stop(ctx context.Context) Result {
	w.stopAsking()
	w.slots.wake()
	w.waitUntilDrained(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped == nil {
		running, _ := w.slots.counts()
		w.stopped = &Result{Drained: w.drained(), Unfinished: running}
	}
	w.stopForGood(ErrStopped)
	w.group.Wait()
	if w.settings.source != nil {
		w.settings.source.Close()
	}
	return *w.stopped
}

func (w *Worker) waitUntilDrained(ctx context.Context) {
	for {
		changed := w.slots.next()
		if w.drained() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (w *Worker) drained() bool {
	running, asked := w.slots.counts()
	return running == 0 && asked == 0 && w.reports.idle()
}

// answered takes the answer to a question for jobs. Jobs that come when all is over are left to their leases.
func (w *Worker) answered(jobs []millrace.Job, places int, askedAt time.Time) {
	w.settings.metrics.Polled(time.Since(askedAt), len(jobs))
	if w.over.Err() != nil {
		jobs = nil
	}
	w.slots.answered(places, len(jobs))
	w.take(jobs, spanFrom(askedAt, w.settings.lease()))
}

func (w *Worker) pollOptions(places int) millrace.PollOptions {
	return millrace.PollOptions{
		JobTypes: w.settings.registry.JobTypes(), MaxJobs: places, LeaseSeconds: w.settings.leaseSeconds,
	}
}

// settled counts what became of a report, and tells where the job came from.
func (w *Worker) settled(one *report, verdict string) {
	defer one.ended(Ending(verdict))
	metrics, jobType := w.settings.metrics, one.job.JobType
	switch {
	case verdict == "accepted" && one.outcome.completed:
		metrics.Completed(jobType, "success")
	case verdict == "accepted":
		metrics.Completed(jobType, "failure")
		if one.outcome.retryable {
			metrics.Retried(jobType)
		}
	default:
		if verdict == "stale" {
			metrics.LockConflict(jobType)
		}
		w.log().Warn("the result of a job did not count", "jobId", one.job.ID, "jobType", jobType, "verdict", verdict)
	}
}

func (w *Worker) log() *slog.Logger { return w.settings.logger }
