package worker

import (
	"context"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// fakeStream gives what its channel gives, and keeps what goes up.
type fakeStream struct {
	ctx     context.Context
	open    millrace.OpenStream
	jobs    chan []millrace.Job
	closed  chan struct{}
	credit  []int
	started []string
	// slow is how long the engine takes to end the stream after the worker's side was closed.
	slow      time.Duration
	failStart bool
}

func (s *fakeStream) Receive() ([]millrace.Job, error) {
	select {
	case jobs, ok := <-s.jobs:
		if !ok {
			return nil, io.EOF
		}
		return jobs, nil
	case <-s.closed:
		return nil, io.EOF
	case <-s.ctx.Done():
		return nil, s.ctx.Err()
	}
}

func (s *fakeStream) AddCredit(more int) error {
	s.credit = append(s.credit, more)
	return nil
}

func (s *fakeStream) Started(jobs []millrace.StartedJob) error {
	if s.failStart {
		return io.EOF
	}
	for _, job := range jobs {
		s.started = append(s.started, job.JobID+" "+job.LeaseToken)
	}
	return nil
}

func (s *fakeStream) CloseSend() error {
	time.AfterFunc(s.slow, func() { close(s.closed) })
	return nil
}

// streaming gives each stream that is opened.
func streaming(engine *fakeEngine) *[]*fakeStream {
	var streams []*fakeStream
	engine.onStream = func(ctx context.Context, open millrace.OpenStream) (millrace.JobStream, error) {
		stream := &fakeStream{ctx: ctx, open: open, jobs: make(chan []millrace.Job), closed: make(chan struct{})}
		streams = append(streams, stream)
		return stream, nil
	}
	return &streams
}

func TestStreaming(t *testing.T) {
	t.Run("credit is what is free, starts are told, ends are reported by exchange without a question", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			streams := streaming(engine)
			w := start(t, engine, sleeps(time.Second), WithMode(Stream), WithConcurrency(3))
			synctest.Wait()
			stream := (*streams)[0]
			stream.jobs <- []millrace.Job{aJob("j1"), aJob("j2")}
			synctest.Wait()
			said := slices.Equal(stream.started, []string{"j1 t-j1", "j2 t-j2"})
			if stream.open.Credit != 3 || stream.open.WorkerID != "w1" || !said {
				t.Errorf("%+v", stream)
			}
			pass(2 * time.Second)
			stop(t, w)
			total := 0
			for _, more := range stream.credit {
				total += more
			}
			completed, _ := engine.reports()
			if total != 2 || len(completed) != 2 || len(engine.polls) != 0 || engine.exchanges[0].Poll != nil {
				t.Errorf("credit %v, reports %v, polls %d", stream.credit, completed, len(engine.polls))
			}
		})
	})
	t.Run("a stream that breaks is opened again with what is free then", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			streams := streaming(engine)
			w := start(t, engine, sleeps(10*time.Second), WithMode(Stream), WithConcurrency(3))
			synctest.Wait()
			(*streams)[0].jobs <- []millrace.Job{aJob("j1")}
			close((*streams)[0].jobs)
			pass(time.Second)
			if len(*streams) != 2 || (*streams)[1].open.Credit != 2 {
				t.Fatalf("%d streams", len(*streams))
			}
			pass(15 * time.Second)
			if result := stop(t, w); !result.Drained {
				t.Errorf("%+v", result)
			}
			if completed, _ := engine.reports(); len(completed) != 1 {
				t.Error("the job of the broken stream was not reported")
			}
		})
	})
	t.Run("C-110: a stop ends the stream and waits for its handlers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			streams := streaming(engine)
			w := start(t, engine, sleeps(10*time.Second), WithMode(Stream))
			synctest.Wait()
			(*streams)[0].jobs <- []millrace.Job{aJob("j1")}
			synctest.Wait()
			result := stop(t, w)
			if completed, _ := engine.reports(); !result.Drained || len(completed) != 1 || len(*streams) != 1 {
				t.Errorf("%+v %v", result, completed)
			}
		})
	})
	t.Run("jobs after the stop, and those whose start cannot be said, are left to the engine", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			streams := streaming(engine)
			ran := 0
			w := start(t, engine, func(context.Context, millrace.Job) (millrace.Variables, error) {
				ran++
				return nil, nil
			}, WithMode(Stream))
			synctest.Wait()
			stream := (*streams)[0]
			stream.slow, stream.failStart = time.Second, true
			stream.jobs <- []millrace.Job{aJob("j1")}
			synctest.Wait()
			stream.failStart = false
			stopped := make(chan Result)
			go func() { stopped <- stop(t, w) }()
			synctest.Wait()
			stream.jobs <- []millrace.Job{aJob("j2")}
			if result := <-stopped; !result.Drained || ran != 0 || len(stream.started) != 0 {
				t.Errorf("%+v, %d ran, %v started", result, ran, stream.started)
			}
		})
	})
	t.Run("a stop does not wait for an engine that does not end the stream", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			streams := streaming(engine)
			w := start(t, engine, nothingToDo, WithMode(Stream))
			synctest.Wait()
			(*streams)[0].slow = time.Hour
			begin := time.Now()
			if result := stop(t, w); !result.Drained || time.Since(begin) != closePatience {
				t.Errorf("%+v after %v", result, time.Since(begin))
			}
			pass(time.Hour)
		})
	})
}
