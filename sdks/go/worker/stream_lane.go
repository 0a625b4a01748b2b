// Has jobs pushed over a stream: credit goes up for every free place, jobs come down.
//
// The engine gives a job back to others when the stream ends before it has heard that the job was started. So a job
// runs only once its start was said, and a stop closes the worker's side first: what it said before is then heard.

package worker

import (
	"context"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// How long a stop waits for the engine to end the stream from its side.
const closePatience = 5 * time.Second

type streamLane struct {
	w        *Worker
	failures int
}

// run keeps a stream open until the context ends.
func (l *streamLane) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.stream(ctx)
		if ctx.Err() != nil {
			return
		}
		l.failures++
		pause := max(askedPause(err), millrace.Backoff(l.failures))
		l.w.log().Warn("the stream of jobs ended, opening another", "error", err, "pause", pause)
		_ = pauseFor(ctx, pause)
	}
}

// stream opens one with credit for what is free, and ends when it breaks or, after the context, when the engine ends
// it.
func (l *streamLane) stream(ctx context.Context) error {
	whole, cancel := context.WithCancel(l.w.over)
	defer cancel()
	credit := l.waitForPlaces(ctx)
	defer func() { l.w.slots.answered(credit.end(), 0) }()
	opening := context.AfterFunc(ctx, cancel)
	stream, err := l.w.engine.StreamJobs(whole, millrace.OpenStream{
		WorkerID: l.w.settings.workerID, JobTypes: l.w.settings.registry.JobTypes(),
		LeaseSeconds: l.w.settings.leaseSeconds, Credit: credit.left(),
	})
	if err != nil || !opening() {
		return err
	}
	l.w.group.Go(func() {
		l.giveCredit(ctx, whole, stream, credit)
		_ = stream.CloseSend()
		_ = pauseFor(whole, closePatience)
		cancel()
	})
	return l.receive(ctx, stream, credit)
}

func (l *streamLane) waitForPlaces(ctx context.Context) *credit {
	for {
		changed := l.w.slots.next()
		if places := l.w.slots.ask(l.w.settings.concurrency, 0); places > 0 || ctx.Err() != nil {
			return newCredit(places)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// receive starts what comes. Jobs that come after the context has ended, or whose start cannot be said, are left to
// the engine.
func (l *streamLane) receive(ctx context.Context, stream millrace.JobStream, credit *credit) error {
	for {
		askedAt := time.Now()
		jobs, err := stream.Receive()
		if err != nil {
			return err
		}
		l.failures = 0
		// The engine counts from its claim, which is a moment before the jobs arrive.
		arrivedAt := time.Now()
		l.w.settings.metrics.Polled(arrivedAt.Sub(askedAt), len(jobs))
		if ctx.Err() != nil {
			continue
		}
		if err := stream.Started(startedJobs(jobs)); err != nil {
			l.w.log().Warn("the start of jobs could not be said, others will get them", "jobs", len(jobs), "error", err)
			continue
		}
		credit.spend(len(jobs))
		l.w.slots.answered(len(jobs), len(jobs))
		l.w.take(jobs, spanFrom(arrivedAt, l.w.settings.lease()))
	}
}

// giveCredit sends more credit whenever places have become free, until a context ends.
func (l *streamLane) giveCredit(ctx, whole context.Context, stream millrace.JobStream, credit *credit) {
	for ctx.Err() == nil && whole.Err() == nil {
		changed := l.w.slots.next()
		if places := credit.take(l.w.slots, l.w.settings.concurrency); places > 0 {
			if stream.AddCredit(places) != nil {
				return
			}
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-whole.Done():
		}
	}
}

func startedJobs(jobs []millrace.Job) []millrace.StartedJob {
	started := make([]millrace.StartedJob, len(jobs))
	for i, job := range jobs {
		started[i] = millrace.StartedJob{JobID: job.ID, LeaseToken: job.LeaseToken}
	}
	return started
}
