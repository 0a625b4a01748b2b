// Has jobs pushed over a stream: credit goes up for every free place, jobs come down.

package worker

import (
	"context"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

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

// stream opens one with credit for what is free, and ends when it breaks.
func (l *streamLane) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	credit := l.waitForPlaces(ctx)
	defer func() { l.w.slots.answered(credit.end(), 0) }()
	open := millrace.OpenStream{
		WorkerID: l.w.settings.workerID, JobTypes: l.w.settings.registry.JobTypes(),
		LeaseSeconds: l.w.settings.leaseSeconds, Credit: credit.left(),
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	stream, err := l.w.engine.StreamJobs(ctx, open)
	if err != nil {
		return err
	}
	l.w.group.Go(func() { l.giveCredit(ctx, stream, credit) })
	return l.receive(stream, credit)
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

func (l *streamLane) receive(stream millrace.JobStream, credit *credit) error {
	for {
		askedAt := time.Now()
		jobs, err := stream.Receive()
		if err != nil {
			return err
		}
		l.failures = 0
		// The engine counts from its claim, which is a moment before the jobs arrive.
		arrivedAt := time.Now()
		credit.spend(len(jobs))
		l.w.settings.metrics.Polled(arrivedAt.Sub(askedAt), len(jobs))
		if err := stream.Started(startedJobs(jobs)); err != nil {
			l.w.log().Warn("the start of jobs could not be told", "error", err)
		}
		l.w.slots.answered(len(jobs), len(jobs))
		l.w.take(jobs, spanFrom(arrivedAt, l.w.settings.lease()))
	}
}

// giveCredit sends more credit whenever places have become free.
func (l *streamLane) giveCredit(ctx context.Context, stream millrace.JobStream, credit *credit) {
	for ctx.Err() == nil {
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
