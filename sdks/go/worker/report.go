// A finished job on its way back to the engine, and how reports are packed into one request.

package worker

import (
	"slices"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

type report struct {
	job     millrace.Job
	outcome outcome
	// ended is told what became of it.
	ended func(Ending)
	// giveUpAt: after this moment its lease surely ended and was swept up. Zero where it is sent until it is answered.
	giveUpAt time.Time
	// once: its lease is lost already. It is worth one try, because the engine takes it if no other worker has the job.
	once  bool
	tries int
}

const (
	mostReports = 500
	// The engine takes bodies up to 1 MiB; this leaves room for ids, tokens and escapes.
	mostBytes     = 700_000
	overheadBytes = 300
)

func (r *report) isHopeless(now time.Time) bool {
	return r.tries > 0 && (r.once || !r.giveUpAt.IsZero() && !now.Before(r.giveUpAt))
}

func haveTokens(batch []*report) bool {
	return !slices.ContainsFunc(batch, func(one *report) bool { return one.job.LeaseToken == "" })
}

// takeBatch splits off as many reports as fit into one exchange, at least one.
func takeBatch(waiting []*report) (batch, rest []*report) {
	bytes := 0
	for i, one := range waiting {
		bytes += one.outcome.bytes + overheadBytes
		if i >= mostReports || i > 0 && bytes > mostBytes {
			return waiting[:i:i], waiting[i:]
		}
	}
	return waiting, nil
}

// inAnswerOrder is the order in which an exchange answers: completed, then failed.
func inAnswerOrder(batch []*report) []*report {
	ordered := make([]*report, 0, len(batch))
	for _, completed := range []bool{true, false} {
		for _, one := range batch {
			if one.outcome.completed == completed {
				ordered = append(ordered, one)
			}
		}
	}
	return ordered
}

func exchangeRequest(workerID string, batch []*report) millrace.ExchangeRequest {
	request := millrace.ExchangeRequest{WorkerID: workerID}
	for _, one := range batch {
		if one.outcome.completed {
			request.Completed = append(request.Completed, millrace.CompletedReport{
				JobID: one.job.ID, LeaseToken: one.job.LeaseToken, Variables: one.outcome.variables,
			})
			continue
		}
		request.Failed = append(request.Failed, millrace.FailedReport{
			JobID: one.job.ID, LeaseToken: one.job.LeaseToken,
			Retryable: one.outcome.retryable, ErrorMessage: one.outcome.message,
			RetryAfter: one.outcome.retryAfter, DownstreamStatus: one.outcome.downstreamStatus,
			Stack: one.outcome.stack,
		})
	}
	return request
}

func completeRequest(workerID string, one *report) millrace.CompleteJob {
	return millrace.CompleteJob{
		JobID: one.job.ID, WorkerID: workerID, LeaseToken: one.job.LeaseToken, Variables: one.outcome.variables,
	}
}

func failRequest(workerID string, one *report) millrace.FailJob {
	return millrace.FailJob{
		JobID: one.job.ID, WorkerID: workerID, LeaseToken: one.job.LeaseToken,
		Retryable: one.outcome.retryable, ErrorMessage: one.outcome.message,
		RetryAfter: one.outcome.retryAfter, DownstreamStatus: one.outcome.downstreamStatus,
		Stack: one.outcome.stack,
	}
}
