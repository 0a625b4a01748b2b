package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// fakeEngine has a queue of jobs, keeps what it is told, and fails where a test says so. Its clock is the test's
// bubble.
type fakeEngine struct {
	mu         sync.Mutex
	queue      []millrace.Job
	arrived    chan struct{}
	polls      []millrace.PollRequest
	pollTimes  []time.Time
	exchanges  []millrace.ExchangeRequest
	completed  []millrace.CompleteJob
	failed     []millrace.FailJob
	heartbeats []time.Time

	onPoll      func(n int) error
	onExchange  func(n int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error)
	onComplete  func(request millrace.CompleteJob) error
	onHeartbeat func(n int) error
	onStream    func(ctx context.Context, open millrace.OpenStream) (millrace.JobStream, error)
}

func newFakeEngine(jobs ...millrace.Job) *fakeEngine {
	return &fakeEngine{queue: jobs, arrived: make(chan struct{})}
}

// offer hands out more jobs, to those who wait too.
func (e *fakeEngine) offer(jobs ...millrace.Job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue = append(e.queue, jobs...)
	close(e.arrived)
	e.arrived = make(chan struct{})
}

func (e *fakeEngine) take(most int) ([]millrace.Job, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	count := min(most, len(e.queue))
	jobs := e.queue[:count]
	e.queue = e.queue[count:]
	return jobs, e.arrived
}

func (e *fakeEngine) Poll(
	ctx context.Context, request millrace.PollRequest, _ ...millrace.CallOption,
) ([]millrace.Job, error) {
	e.mu.Lock()
	e.polls = append(e.polls, request)
	e.pollTimes = append(e.pollTimes, time.Now())
	n, onPoll := len(e.polls), e.onPoll
	e.mu.Unlock()
	if onPoll != nil {
		if err := onPoll(n); err != nil {
			return nil, err
		}
	}
	deadline := time.After(time.Duration(request.WaitSeconds) * time.Second)
	for {
		jobs, arrived := e.take(request.MaxJobs)
		if len(jobs) > 0 || request.WaitSeconds == 0 {
			return jobs, nil
		}
		select {
		case <-arrived:
		case <-deadline:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (e *fakeEngine) Exchange(
	_ context.Context, request millrace.ExchangeRequest, _ ...millrace.CallOption,
) (millrace.ExchangeResult, error) {
	e.mu.Lock()
	e.exchanges = append(e.exchanges, request)
	n, onExchange := len(e.exchanges), e.onExchange
	e.mu.Unlock()
	if onExchange != nil {
		return onExchange(n, request)
	}
	return e.accept(request), nil
}

func (e *fakeEngine) accept(request millrace.ExchangeRequest) millrace.ExchangeResult {
	var result millrace.ExchangeResult
	for _, one := range request.Completed {
		result.Results = append(result.Results, millrace.ReportResult{JobID: one.JobID, Outcome: "accepted"})
	}
	for _, one := range request.Failed {
		result.Results = append(result.Results, millrace.ReportResult{JobID: one.JobID, Outcome: "accepted"})
	}
	if request.Poll != nil {
		result.Jobs, _ = e.take(request.Poll.MaxJobs)
	}
	return result
}

func (e *fakeEngine) Complete(_ context.Context, request millrace.CompleteJob, _ ...millrace.CallOption) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.completed = append(e.completed, request)
	if e.onComplete != nil {
		return e.onComplete(request)
	}
	return nil
}

func (e *fakeEngine) Fail(_ context.Context, request millrace.FailJob, _ ...millrace.CallOption) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = append(e.failed, request)
	return nil
}

func (e *fakeEngine) Heartbeat(
	_ context.Context, _ millrace.HeartbeatJob, _ ...millrace.CallOption,
) (millrace.HeartbeatResult, error) {
	e.mu.Lock()
	e.heartbeats = append(e.heartbeats, time.Now())
	n, onHeartbeat := len(e.heartbeats), e.onHeartbeat
	e.mu.Unlock()
	if onHeartbeat != nil {
		return millrace.HeartbeatResult{}, onHeartbeat(n)
	}
	return millrace.HeartbeatResult{}, nil
}

func (e *fakeEngine) StreamJobs(ctx context.Context, open millrace.OpenStream) (millrace.JobStream, error) {
	if e.onStream == nil {
		return nil, errors.New("this engine has no streams")
	}
	return e.onStream(ctx, open)
}

// reports are the completed ids and the failures of all exchanges.
func (e *fakeEngine) reports() (completed []millrace.CompletedReport, failed []millrace.FailedReport) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, request := range e.exchanges {
		completed = append(completed, request.Completed...)
		failed = append(failed, request.Failed...)
	}
	return completed, failed
}

func aJob(id string) millrace.Job {
	return millrace.Job{ID: id, JobType: "a", LeaseToken: "t-" + id, Attempt: 1, Variables: millrace.Variables{"n": 1.0}}
}

func refusal(status int, code string) error {
	return &millrace.Error{Code: code, Status: status, Message: code}
}

// start makes and starts a worker with one handler of the type "a".
func start(t *testing.T, engine Engine, handler Handler, options ...Option) *Worker {
	t.Helper()
	options = append([]Option{WithLogger(slog.New(slog.DiscardHandler))}, options...)
	w, err := New(engine, "w1", Handlers(map[string]Handler{"a": handler}), options...)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

func stop(t *testing.T, w *Worker) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result := w.Stop(ctx)
	synctest.Wait()
	return result
}

// pass lets time go by, until everything has happened that happens in it.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func nothingToDo(context.Context, millrace.Job) (millrace.Variables, error) { return nil, nil }
