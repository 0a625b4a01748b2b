// Keeps one lease alive while its handler runs, and tells when it must be taken for lost.
//
// All times are the monotonic clock's. A lease has two ends here, because the moment at which the engine granted it is
// known only to lie between question and answer:
//
//	endsAt   counted from the question: before it the lease surely holds. Heartbeats come every third of what is left;
//	         at endsAt − margin without an extension the handler is told to stop;
//	goneAt   counted from the answer: after it the lease surely ended.

package worker

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

const heartbeatsPerLease = 3

type span struct {
	endsAt time.Time
	goneAt time.Time
}

// spanFrom is the span of a lease that was granted between question and answer.
func spanFrom(askedAt time.Time, lease time.Duration) span {
	return span{endsAt: askedAt.Add(lease), goneAt: time.Now().Add(lease)}
}

// lease is kept by a goroutine of its own until release, which waits for it.
type lease struct {
	w    *Worker
	job  millrace.Job
	lost func(error)
	stop context.CancelFunc
	done chan struct{}

	mu   sync.Mutex
	span span
}

// keep starts the heartbeats of a job. lost is called at most once, and not after release. A job without a token, such
// as one of an engine that dispatches without, has none: nothing keeps it and nothing ends it.
func (w *Worker) keep(job millrace.Job, granted span, lost func(error)) *lease {
	ctx, stop := context.WithCancel(w.over)
	l := &lease{w: w, job: job, lost: lost, stop: stop, done: make(chan struct{}), span: granted}
	if job.LeaseToken == "" {
		close(l.done)
		return l
	}
	go l.run(ctx)
	return l
}

// release ends the heartbeats; the lease is left to its report or to its end.
func (l *lease) release() {
	l.stop()
	<-l.done
}

func (l *lease) goneAt() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.span.goneAt
}

func (l *lease) run(ctx context.Context) {
	defer close(l.done)
	failures := 0
	pause := time.Until(l.span.endsAt) / heartbeatsPerLease
	for pauseFor(ctx, pause) == nil {
		err := l.beat(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			failures, pause = 0, time.Until(l.span.endsAt)/heartbeatsPerLease
		case isLost(err):
			l.w.settings.metrics.LockConflict(l.job.JobType)
			l.lose(err)
			return
		case l.left() <= 0:
			l.lose(err)
			return
		default:
			failures++
			l.w.log().Warn("heartbeat failed, trying again", "jobId", l.job.ID, "error", err)
			pause = min(millrace.Backoff(failures), l.left())
		}
	}
}

// beat asks for a longer lease. It takes no longer than the lease surely holds: an answer that hangs must not outlast
// it.
func (l *lease) beat(ctx context.Context) error {
	if l.left() <= 0 {
		return errors.New("the lease could not be extended in time")
	}
	ctx, cancel := context.WithTimeout(ctx, l.left())
	defer cancel()
	askedAt := time.Now()
	if _, err := l.w.heartbeat(ctx, l.job, false); err != nil {
		return err
	}
	extended := spanFrom(askedAt, l.w.settings.lease())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.span = extended
	return nil
}

// left is the time until the handler has to be told to stop.
func (l *lease) left() time.Duration {
	return time.Until(l.span.endsAt.Add(-l.w.settings.margin()))
}

func (l *lease) lose(err error) {
	l.w.log().Warn("lease lost, handler told to stop", "jobId", l.job.ID, "jobType", l.job.JobType, "error", err)
	l.lost(err)
}

func (w *Worker) heartbeat(
	ctx context.Context, job millrace.Job, withVariables bool,
) (millrace.HeartbeatResult, error) {
	return w.engine.Heartbeat(ctx, millrace.HeartbeatJob{
		JobID: job.ID, WorkerID: w.settings.workerID, LeaseToken: job.LeaseToken, LeaseSeconds: w.settings.leaseSeconds,
		WithVariables: withVariables,
	}, millrace.MaxAttempts(1))
}

// isLost: the engine says so, or the job is gone altogether.
func isLost(err error) bool {
	var refusal *millrace.Error
	return errors.As(err, &refusal) && (refusal.Status == http.StatusConflict || refusal.Status == http.StatusNotFound)
}

// pauseFor returns early, with the context's error, when the context ends.
func pauseFor(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(max(0, pause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
