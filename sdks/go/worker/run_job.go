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

// claim is a job on its way through the worker.
type claim struct {
	job millrace.Job
	// lacksVariables: the engine is asked for them before the handler runs.
	lacksVariables bool
	granted        span
	// ctx ends when its handler has to stop although the engine did not say so.
	ctx   context.Context
	ended func(Ending)
}

// take runs the jobs of one answer; their places are taken already.
func (w *Worker) take(jobs []millrace.Job, granted span) {
	for _, job := range jobs {
		go w.run(claim{job: job, granted: granted, ctx: context.Background(), ended: func(Ending) {}})
	}
}

// run frees the job's place after its report is queued, so that a drain misses nothing, and before the report leaves,
// so that the question for more jobs that goes with it has the place.
func (w *Worker) run(one claim) {
	result, ending := w.runClaim(one)
	switch {
	case result == nil:
		one.ended(ending)
	case w.over.Err() == nil:
		w.reports.add(result)
	}
	w.slots.finish()
	w.reports.ring()
}

// runClaim gives a report, or how the job ended without one.
func (w *Worker) runClaim(one claim) (*report, Ending) {
	sure, err := w.sureSpan(&one)
	if err != nil {
		return nil, endingOf(err)
	}
	return w.runLeased(one, sure)
}

// sureSpan asks before starting a job whose answer was so long on its way that the lease may be over, or whose
// variables are still with the engine.
func (w *Worker) sureSpan(one *claim) (span, error) {
	margin := w.settings.margin()
	if !one.lacksVariables && (time.Until(one.granted.endsAt) > margin || one.job.LeaseToken == "") {
		return one.granted, nil
	}
	ctx, cancel := context.WithTimeout(w.over, w.settings.lease()-margin)
	defer cancel()
	askedAt := time.Now()
	result, err := w.heartbeat(ctx, one.job, one.lacksVariables)
	if err == nil && one.lacksVariables && result.Variables == nil {
		err = errNoVariables
	}
	if err != nil {
		if isLost(err) {
			w.settings.metrics.LockConflict(one.job.JobType)
		}
		w.log().Warn("the job was not started", "jobId", one.job.ID, "error", err)
		return span{}, err
	}
	if one.lacksVariables {
		one.job.Variables = result.Variables
	}
	return spanFrom(askedAt, w.settings.lease()), nil
}

var errNoVariables = errors.New("the engine brings no variables with a heartbeat: it is older than this SDK")

// runLeased gives no report where there is nothing to say: a handler that gave up after it was told to stop did not
// fail.
func (w *Worker) runLeased(one claim, granted span) (*report, Ending) {
	ctx, cancel := context.WithCancelCause(millrace.ContextWithTrace(w.over, millrace.TraceContext{
		Traceparent: one.job.Traceparent, Tracestate: one.job.Tracestate,
	}))
	defer cancel(nil)
	defer context.AfterFunc(one.ctx, func() { cancel(ErrLeaseLost) })()
	ending := Unfinished
	kept := w.keep(one.job, granted, func(err error) {
		ending = endingOf(err)
		cancel(ErrLeaseLost)
	})
	result := w.execute(ctx, one.job)
	kept.release()
	told := ctx.Err() != nil
	if told && !result.completed && !result.timedOut {
		return nil, ending
	}
	done := &report{job: one.job, outcome: result.outcome, ended: one.ended}
	if w.settings.source == nil {
		done.giveUpAt, done.once = kept.goneAt().Add(sweepTime), told
	}
	return done, ""
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
			stack := debug.Stack()
			w.log().Error("a handler panicked", "jobId", job.ID, "jobType", job.JobType, "attempt", job.Attempt,
				"panic", thrown, "stack", string(stack))
			result = outcomeOfPanic(thrown, stack)
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
