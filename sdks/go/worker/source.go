// Jobs that the engine is not asked for: what brings them, and how it hands them to the worker.

package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// Source brings jobs to a worker, and is told how each ended. Reports of its jobs are sent until the engine answers.
type Source interface {
	// Open begins to hand jobs to the desk and returns.
	Open(desk *Desk) error
	// Close ends it, when nothing more is handled or reported. It may be called twice.
	Close()
}

// Ending is what became of a job of a source: what the engine answered to its report, or one of these.
type Ending string

const (
	// Accepted: the report counts.
	Accepted Ending = "accepted"
	// Lost: the engine says that the job belongs to another, so there was nothing to report.
	Lost Ending = "lost"
	// Unfinished: neither the handler nor the engine said how it ended.
	Unfinished Ending = "unfinished"
)

// Desk is where a source hands in its jobs.
type Desk struct{ w *Worker }

// Draining ends when no more jobs are wanted.
func (d *Desk) Draining() context.Context { return d.w.draining }

// Changed is closed when places may have come free. Take it before Start.
func (d *Desk) Changed() <-chan struct{} { return d.w.slots.next() }

// Log is where the worker says what goes wrong.
func (d *Desk) Log() *slog.Logger { return d.w.log() }

// Metrics are those of the worker.
func (d *Desk) Metrics() Metrics { return d.w.settings.metrics }

// JobTypes are those that the worker handles.
func (d *Desk) JobTypes() []string { return d.w.settings.registry.JobTypes() }

// Handed is a job of a source.
type Handed struct {
	Job millrace.Job
	// IsNew is false for a job that was started before: the engine is asked first whether it is still this worker's.
	IsNew bool
	// LacksVariables: they stayed with the engine, which is asked for them before the handler runs.
	LacksVariables bool
}

// Start runs a job and returns, false where no place is free. ended is called once, unless the worker ends before. The
// handler is told to stop when the context ends.
func (d *Desk) Start(ctx context.Context, handed Handed, ended func(Ending)) bool {
	if d.w.draining.Err() != nil || d.w.slots.ask(1, 0) == 0 {
		return false
	}
	d.w.slots.answered(1, 1)
	var granted span
	if handed.IsNew && !handed.LacksVariables {
		granted = spanFrom(time.Now(), d.w.settings.lease())
	}
	go d.w.run(claim{
		job: handed.Job, lacksVariables: handed.LacksVariables, granted: granted, ctx: ctx, ended: ended,
	})
	return true
}

// endingOf tells a job that is another's from one whose lease could not be extended.
func endingOf(err error) Ending {
	if isLost(err) {
		return Lost
	}
	return Unfinished
}
