// Asks for jobs whenever places are free: long polls that the engine answers as soon as there is work, or short polls.

package worker

import (
	"context"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// An engine that answers "nothing" at once although asked to wait is shutting down, or too old to wait.
const longestHastyPause = 500 * time.Millisecond

type pollLane struct {
	w        *Worker
	failures int
	hasty    int
}

// run polls until the context ends.
func (l *pollLane) run(ctx context.Context) {
	for ctx.Err() == nil {
		changed := l.w.slots.next()
		if places := l.places(); places > 0 {
			l.pollOnce(ctx, places)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// places for a poll: what is free and not about to be asked for by the reports that wait.
func (l *pollLane) places() int {
	spoken := 0
	if l.w.settings.mode == Exchange && l.w.reports.pending() > 0 {
		spoken = mostJobs
	}
	return l.w.slots.ask(mostJobs, spoken)
}

func (l *pollLane) pollOnce(ctx context.Context, places int) {
	askedAt := time.Now()
	options := l.w.pollOptions(places)
	jobs, err := l.w.engine.Poll(ctx, millrace.PollRequest{
		WorkerID: l.w.settings.workerID, JobTypes: options.JobTypes, MaxJobs: options.MaxJobs,
		LeaseSeconds: options.LeaseSeconds, WaitSeconds: l.w.settings.waitSeconds,
	})
	l.w.answered(jobs, places, askedAt)
	if err != nil {
		l.backOff(ctx, err)
		return
	}
	l.failures = 0
	if pause := l.pause(places, len(jobs), time.Since(askedAt)); pause > 0 {
		_ = pauseFor(ctx, pause)
	}
}

func (l *pollLane) pause(places, jobs int, took time.Duration) time.Duration {
	if interval := l.w.settings.pollInterval; interval > 0 {
		if jobs < places {
			return interval
		}
		return 0
	}
	wait := time.Duration(l.w.settings.waitSeconds) * time.Second
	if jobs > 0 || took >= wait/2 {
		l.hasty = 0
		return 0
	}
	l.hasty++
	return min(longestHastyPause, millrace.Backoff(l.hasty))
}

func (l *pollLane) backOff(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	l.failures++
	pause := max(askedPause(err), millrace.Backoff(l.failures))
	l.w.log().Warn("poll failed, backing off", "error", err, "failures", l.failures, "pause", pause)
	_ = pauseFor(ctx, pause)
}
