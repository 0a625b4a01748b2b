package kafka

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// fakeEngine takes reports, and fails where a test says so.
type fakeEngine struct {
	mu        sync.Mutex
	exchanges int
	reported  []millrace.CompletedReport
	failed    []millrace.FailedReport
	singles   []string
	// isAway: exchanges are answered with an error.
	isAway  bool
	verdict string
	// kept has variables by job; a job without any is another worker's.
	kept  map[string]millrace.Variables
	asked []millrace.HeartbeatJob
}

func (e *fakeEngine) Exchange(
	_ context.Context, request millrace.ExchangeRequest, _ ...millrace.CallOption,
) (millrace.ExchangeResult, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.exchanges++
	if e.isAway {
		return millrace.ExchangeResult{}, &millrace.Error{Status: 503, Code: "unavailable", Message: "away"}
	}
	e.reported = append(e.reported, request.Completed...)
	e.failed = append(e.failed, request.Failed...)
	var answer millrace.ExchangeResult
	for range len(request.Completed) + len(request.Failed) {
		answer.Results = append(answer.Results, millrace.ReportResult{Outcome: e.verdict})
	}
	return answer, nil
}

func (e *fakeEngine) Complete(_ context.Context, request millrace.CompleteJob, _ ...millrace.CallOption) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.singles = append(e.singles, request.JobID+" "+request.LeaseToken)
	return nil
}

func (e *fakeEngine) Fail(context.Context, millrace.FailJob, ...millrace.CallOption) error {
	return nil
}

func (e *fakeEngine) Heartbeat(
	_ context.Context, request millrace.HeartbeatJob, _ ...millrace.CallOption,
) (millrace.HeartbeatResult, error) {
	if !request.WithVariables {
		return millrace.HeartbeatResult{}, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, request)
	if e.isAway {
		return millrace.HeartbeatResult{}, &millrace.Error{Status: 503, Code: "unavailable", Message: "away"}
	}
	variables, isKept := e.kept[request.JobID]
	if !isKept {
		return millrace.HeartbeatResult{}, &millrace.Error{Status: 409, Code: "lease-lost", Message: "lost"}
	}
	return millrace.HeartbeatResult{Variables: variables}, nil
}

func (e *fakeEngine) askedFor() []millrace.HeartbeatJob {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

func (e *fakeEngine) Poll(context.Context, millrace.PollRequest, ...millrace.CallOption) ([]millrace.Job, error) {
	return nil, errors.New("a worker of Kafka polls nothing")
}

func (e *fakeEngine) StreamJobs(context.Context, millrace.OpenStream) (millrace.JobStream, error) {
	return nil, errors.New("a worker of Kafka opens no stream")
}

func (e *fakeEngine) setAway(isAway bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.isAway = isAway
}

func (e *fakeEngine) tries() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.exchanges
}

// done has the ids of the jobs whose completion arrived, each once.
func (e *fakeEngine) done() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ids []string
	for _, one := range e.reported {
		ids = append(ids, one.JobID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
