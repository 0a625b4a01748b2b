// Runs claimed jobs: each under its lease, from the claim to the report that leaves.

package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// The engine sweeps up an ended lease at the latest after this time.
const sweepTime = 5 * time.Second

// take runs the jobs of one answer; their places are taken already.
func (w *Worker) take(jobs []millrace.Job, granted span) {
	for _, job := range jobs {
		go w.run(job, granted)
	}
}

// run frees the job's place after its report is queued, so that a drain misses nothing, and before the report leaves,
// so that the question for more jobs that goes with it has the place.
func (w *Worker) run(job millrace.Job, granted span) {
	if sure, ok := w.sureSpan(job, granted); ok {
		if result := w.runLeased(job, sure); result != nil && w.over.Err() == nil {
			w.reports.add(result)
		}
	}
	w.slots.finish()
	w.reports.ring()
}

// sureSpan asks before starting a job whose answer was so long on its way that the lease may be over.
func (w *Worker) sureSpan(job millrace.Job, granted span) (span, bool) {
	margin := w.settings.margin()
	if time.Until(granted.endsAt) > margin {
		return granted, true
	}
	ctx, cancel := context.WithTimeout(w.over, w.settings.lease()-margin)
	defer cancel()
	askedAt := time.Now()
	if err := w.heartbeat(ctx, job); err != nil {
		if isLost(err) {
			w.settings.metrics.LockConflict(job.JobType)
		}
		w.log().Warn("the job came too late and was not started", "jobId", job.ID, "error", err)
		return span{}, false
	}
	return spanFrom(askedAt, w.settings.lease()), true
}

// runLeased gives nil where there is nothing to report: a handler that gave up after it was told to stop did not fail.
func (w *Worker) runLeased(job millrace.Job, granted span) *report {
	ctx, cancel := context.WithCancelCause(millrace.ContextWithTrace(w.over, millrace.TraceContext{
		Traceparent: job.Traceparent, Tracestate: job.Tracestate,
	}))
	defer cancel(nil)
	kept := w.keep(job, granted, func() { cancel(ErrLeaseLost) })
	result := w.execute(ctx, job)
	kept.release()
	told := ctx.Err() != nil
	if told && !result.completed && !result.timedOut {
		return nil
	}
	return &report{job: job, outcome: result.outcome, giveUpAt: kept.goneAt().Add(sweepTime), once: told}
}

type executed struct {
	outcome
	timedOut bool
}

// execute runs the handler; one that hangs beyond the attempt's time holds neither its place nor its job.
func (w *Worker) execute(ctx context.Context, job millrace.Job) executed {
	handler := w.settings.registry.find(job.JobType)
	if handler == nil {
		w.log().Error("a job came for which there is no handler: register one", "jobId", job.ID, "jobType", job.JobType)
		return executed{outcome: noHandler(job.JobType)}
	}
	startedAt := time.Now()
	defer func() { w.settings.metrics.Handled(job.JobType, time.Since(startedAt)) }()
	limit := time.Duration(job.TimeoutSeconds * float64(time.Second))
	if limit <= 0 {
		return executed{outcome: <-w.begin(ctx, handler, job)}
	}
	return w.executeWithin(ctx, handler, job, limit)
}

func (w *Worker) executeWithin(ctx context.Context, handler Handler, job millrace.Job, limit time.Duration) executed {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimedOut)
	defer cancel()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case result := <-w.begin(ctx, handler, job):
		if result.completed || !errors.Is(context.Cause(ctx), ErrTimedOut) {
			return executed{outcome: result}
		}
	case <-timer.C:
		// Ended here, its cause would be another one.
		<-ctx.Done()
	}
	w.log().Error("a handler ran for too long", "jobId", job.ID, "jobType", job.JobType, "limit", limit)
	message := fmt.Sprintf("timed out after %g s", limit.Seconds())
	return executed{outcome: failed(message, true), timedOut: true}
}

// begin runs the handler in a goroutine of its own, which runtime.Goexit may end without taking more with it.
func (w *Worker) begin(ctx context.Context, handler Handler, job millrace.Job) <-chan outcome {
	ended := make(chan outcome, 1)
	go func() {
		result := failed("the handler ended its goroutine without returning (runtime.Goexit)", false)
		defer func() { ended <- result }()
		result = w.call(ctx, handler, job)
	}()
	return ended
}

// call runs the handler and logs how it failed. A panic would fail in the same way again: it is not retryable.
func (w *Worker) call(ctx context.Context, handler Handler, job millrace.Job) (result outcome) {
	defer func() {
		if thrown := recover(); thrown != nil {
			w.log().Error("a handler panicked", "jobId", job.ID, "jobType", job.JobType, "attempt", job.Attempt,
				"panic", thrown, "stack", string(debug.Stack()))
			result = failed(fmt.Sprintf("panic: %v", thrown), false)
		}
	}()
	variables, err := w.settings.around(handler)(ctx, job)
	if err == nil {
		return outcomeOfReturn(variables)
	}
	if cause := context.Cause(ctx); !errors.Is(cause, ErrLeaseLost) && !errors.Is(cause, ErrStopped) {
		w.log().Error("a handler failed", "jobId", job.ID, "jobType", job.JobType, "attempt", job.Attempt, "error", err)
	}
	return outcomeOfError(err)
}
