package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// untilCancelled waits for the end of its context and keeps when and why that was.
type untilCancelled struct {
	after time.Duration
	cause error
}

func (u *untilCancelled) handle(ctx context.Context, _ millrace.Job) (millrace.Variables, error) {
	startedAt := time.Now()
	<-ctx.Done()
	u.after, u.cause = time.Since(startedAt), context.Cause(ctx)
	return nil, ctx.Err()
}

func sleeps(d time.Duration) Handler {
	return func(context.Context, millrace.Job) (millrace.Variables, error) {
		time.Sleep(d)
		return millrace.Variables{"slept": true}, nil
	}
}

func TestHeartbeatsComeEveryThirdOfTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newFakeEngine(aJob("j1"))
		begin := time.Now()
		w := start(t, engine, sleeps(95*time.Second), WithLease(30*time.Second))
		pass(100 * time.Second)
		stop(t, w)
		if len(engine.heartbeats) != 9 {
			t.Fatalf("%d heartbeats", len(engine.heartbeats))
		}
		for i, at := range engine.heartbeats {
			if want := time.Duration(i+1) * 10 * time.Second; at.Sub(begin) != want {
				t.Errorf("heartbeat %d after %v", i+1, at.Sub(begin))
			}
		}
		if completed, _ := engine.reports(); len(completed) != 1 {
			t.Error("a handler of three times the lease was not reported")
		}
	})
}

func TestALostLeaseCancelsTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newFakeEngine(aJob("j1"))
		engine.onHeartbeat = func(n int) error {
			if n < 2 {
				return nil
			}
			return refusal(409, millrace.CodeLeaseLost)
		}
		handler, metrics := &untilCancelled{}, NewPrometheus()
		w := start(t, engine, handler.handle, WithLease(30*time.Second), WithMetrics(metrics))
		pass(time.Minute)
		stop(t, w)
		if handler.after != 20*time.Second || !errors.Is(handler.cause, ErrLeaseLost) {
			t.Error(handler.after, handler.cause)
		}
		if len(engine.exchanges) != 0 {
			t.Errorf("the lease brings the job back, nothing is to be reported: %+v", engine.exchanges)
		}
		if metrics.conflicts.values[""] != 1 {
			t.Error(metrics.Text())
		}
	})
}

func TestAHandlerIsToldBeforeItsLeaseEnds(t *testing.T) {
	for name, onHeartbeat := range map[string]func(int) error{
		"when heartbeats fail": func(int) error {
			return &millrace.TransportError{Kind: millrace.Unreachable, Message: "gone"}
		},
		"when they hang": func(int) error { time.Sleep(time.Hour); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := newFakeEngine(aJob("j1"))
				engine.onHeartbeat = onHeartbeat
				handler := &untilCancelled{}
				w := start(t, hangGuard{engine}, handler.handle, WithLease(30*time.Second))
				pass(2 * time.Hour)
				stop(t, w)
				if handler.after > 27*time.Second || handler.after < 25*time.Second {
					t.Errorf("told after %v of 30 s", handler.after)
				}
				if !errors.Is(handler.cause, ErrLeaseLost) {
					t.Error(handler.cause)
				}
			})
		})
	}
}

// hangGuard ends heartbeats with their context, as a transport does.
type hangGuard struct{ *fakeEngine }

func (g hangGuard) Heartbeat(
	ctx context.Context, request millrace.HeartbeatJob, _ ...millrace.CallOption,
) (millrace.HeartbeatResult, error) {
	done := make(chan error, 1)
	go func() {
		_, err := g.fakeEngine.Heartbeat(ctx, request)
		done <- err
	}()
	select {
	case err := <-done:
		return millrace.HeartbeatResult{}, err
	case <-ctx.Done():
		return millrace.HeartbeatResult{}, ctx.Err()
	}
}

func TestAResultAfterALostLeaseIsTriedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newFakeEngine(aJob("j1"))
		engine.onHeartbeat = func(int) error { return refusal(409, millrace.CodeLeaseLost) }
		engine.onExchange = func(int, millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
			return millrace.ExchangeResult{}, &millrace.TransportError{Kind: millrace.Interrupted, Message: "broke"}
		}
		w := start(t, engine, sleeps(15*time.Second), WithLease(30*time.Second))
		pass(time.Minute)
		if result := stop(t, w); !result.Drained || len(engine.exchanges) != 1 {
			t.Errorf("%+v after %d exchanges", result, len(engine.exchanges))
		}
	})
}

func TestAJobThatCameTooLateIsAskedForBeforeItStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newFakeEngine(aJob("j1"))
		engine.onPoll = func(n int) error {
			if n == 1 {
				time.Sleep(29 * time.Second)
			}
			return nil
		}
		engine.onHeartbeat = func(int) error { return refusal(409, millrace.CodeLeaseLost) }
		ran := false
		w := start(t, engine, func(context.Context, millrace.Job) (millrace.Variables, error) {
			ran = true
			return nil, nil
		}, WithLease(30*time.Second))
		pass(time.Minute)
		stop(t, w)
		if ran || len(engine.heartbeats) != 1 {
			t.Error(ran, len(engine.heartbeats))
		}
	})
}

func TestAnAttemptHasItsTime(t *testing.T) {
	for name, handler := range map[string]Handler{
		"a handler that listens": func(ctx context.Context, _ millrace.Job) (millrace.Variables, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"a handler that hangs": sleeps(time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				job := aJob("j1")
				job.TimeoutSeconds = 2.5
				engine := newFakeEngine(job)
				w := start(t, engine, handler)
				pass(3 * time.Second)
				_, failed := engine.reports()
				if len(failed) != 1 || !failed[0].Retryable || failed[0].ErrorMessage != "timed out after 2.5 s" ||
					failed[0].DownstreamStatus != 0 {
					t.Errorf("%+v", failed)
				}
				if result := stop(t, w); !result.Drained {
					t.Error("a handler that hangs must not hold its place")
				}
				pass(2 * time.Hour)
			})
		})
	}
}
