package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// reportOf runs one job and gives what was reported.
func reportOf(
	t *testing.T, handler Handler, options ...Option,
) (completed []millrace.CompletedReport, failed []millrace.FailedReport) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		engine := newFakeEngine(aJob("j1"))
		w := start(t, engine, handler, options...)
		synctest.Wait()
		stop(t, w)
		completed, failed = engine.reports()
	})
	return completed, failed
}

func fails(err error) Handler {
	return func(context.Context, millrace.Job) (millrace.Variables, error) { return nil, err }
}

type statusError struct{ status int }

func (e statusError) Error() string             { return "pushed back" }
func (e statusError) StatusCode() int           { return e.status }
func (e statusError) RetryAfter() time.Duration { return 9 * time.Second }

func TestOutcomes(t *testing.T) {
	five, nine, zero := 5.0, 9.0, 0.0
	for name, one := range map[string]struct {
		err  error
		want millrace.FailedReport
	}{
		"C-109: an error fails the job, retryable": {
			errors.New("no"), millrace.FailedReport{Retryable: true, ErrorMessage: "no"}},
		"C-109: NonRetryable fails it for good": {
			NonRetryable(errors.New("no")), millrace.FailedReport{ErrorMessage: "no"}},
		"C-109: NonRetryable counts inside another error": {
			fmt.Errorf("charge: %w", NonRetryable(errors.New("no"))), millrace.FailedReport{ErrorMessage: "charge: no"}},
		"RetryAfter says when": {
			RetryAfter(errors.New("no"), 5*time.Second),
			millrace.FailedReport{Retryable: true, ErrorMessage: "no", RetryAfter: &five}},
		"RetryAfter may say at once": {
			RetryAfter(errors.New("no"), 0), millrace.FailedReport{Retryable: true, ErrorMessage: "no", RetryAfter: &zero}},
		"a downstream that pushes back is told": {
			Pushback(errors.New("no"), 429, 5*time.Second),
			millrace.FailedReport{Retryable: true, ErrorMessage: "no", RetryAfter: &five, DownstreamStatus: 429}},
		"an error that knows its status pushes back": {
			fmt.Errorf("call: %w", statusError{503}),
			millrace.FailedReport{Retryable: true, ErrorMessage: "call: pushed back", RetryAfter: &nine, DownstreamStatus: 503}},
		"another status does not push back": {
			statusError{500}, millrace.FailedReport{Retryable: true, ErrorMessage: "pushed back"}},
		"no answer in time pushes back": {
			fmt.Errorf("call: %w", context.DeadlineExceeded),
			millrace.FailedReport{Retryable: true, ErrorMessage: "call: context deadline exceeded", DownstreamStatus: 504}},
		"what the engine refuses is no word of the downstream": {
			refusal(503, millrace.CodeBackpressure),
			millrace.FailedReport{Retryable: true, ErrorMessage: "backpressure: backpressure"}},
		"text that cannot be stored is cleaned": {
			errors.New("a\x00b\xffc"), millrace.FailedReport{Retryable: true, ErrorMessage: "a\ufffdb\ufffdc"}},
	} {
		t.Run(name, func(t *testing.T) {
			one.want.JobID, one.want.LeaseToken = "j1", "t-j1"
			_, failed := reportOf(t, fails(one.err))
			if len(failed) != 1 || !reflect.DeepEqual(failed[0], one.want) {
				t.Errorf("%+v", failed)
			}
		})
	}
}

func TestCompletedOutcomes(t *testing.T) {
	t.Run("C-109: what the handler returns is reported", func(t *testing.T) {
		completed, _ := reportOf(t, func(context.Context, millrace.Job) (millrace.Variables, error) {
			return millrace.Variables{"ok": true}, nil
		})
		want := []millrace.CompletedReport{{JobID: "j1", LeaseToken: "t-j1", Variables: millrace.Variables{"ok": true}}}
		if !reflect.DeepEqual(completed, want) {
			t.Errorf("%+v", completed)
		}
	})
	t.Run("variables that are not JSON fail the job for good", func(t *testing.T) {
		_, failed := reportOf(t, func(context.Context, millrace.Job) (millrace.Variables, error) {
			return millrace.Variables{"n": math.NaN()}, nil
		})
		if len(failed) != 1 || failed[0].Retryable || !strings.Contains(failed[0].ErrorMessage, "not JSON") {
			t.Errorf("%+v", failed)
		}
	})
	t.Run("variables nested too deeply fail the job for good", func(t *testing.T) {
		for levels, want := range map[int]string{100: "", 101: "nested deeper than 100 levels", 2000: "deeper"} {
			completed, failed := reportOf(t, func(context.Context, millrace.Job) (millrace.Variables, error) {
				return nested(levels), nil
			})
			if want == "" && len(completed) == 1 {
				continue
			}
			if len(failed) != 1 || failed[0].Retryable || !strings.Contains(failed[0].ErrorMessage, want) {
				t.Errorf("%d levels: %+v", levels, failed)
			}
		}
	})
	t.Run("a long message is cut between letters", func(t *testing.T) {
		_, failed := reportOf(t, fails(errors.New("x"+strings.Repeat("ü", 3000))))
		if got := len(failed[0].ErrorMessage); got > longestMessage || got < longestMessage-1 {
			t.Error(got)
		}
	})
}

func TestAResultThatNoEngineTakesFailsForGood(t *testing.T) {
	got := outcomeOfReturn(millrace.Variables{"document": strings.Repeat("x", 16<<20)})
	want := "the handler returned 16777231 bytes of variables: return a reference to what is large"
	if got.completed || got.retryable || got.message != want {
		t.Errorf("%+v", got.message)
	}
}

func TestPanics(t *testing.T) {
	var log bytes.Buffer
	_, failed := reportOf(t, func(context.Context, millrace.Job) (millrace.Variables, error) {
		panic("broken")
	}, WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	t.Run("C-109: a panic fails the job for good", func(t *testing.T) {
		if len(failed) != 1 || failed[0].Retryable || failed[0].ErrorMessage != "panic: broken" {
			t.Errorf("%+v", failed)
		}
	})
	t.Run("its stack is reported", func(t *testing.T) {
		if len(failed) != 1 || !strings.Contains(failed[0].Stack, "outcome_test.go") {
			t.Errorf("%+v", failed)
		}
	})
	t.Run("its stack is logged", func(t *testing.T) {
		if !strings.Contains(log.String(), "outcome_test.go") || !strings.Contains(log.String(), "jobId=j1") {
			t.Error(log.String())
		}
	})
}

// traced prints its stack with %+v, as errors of several libraries do.
type traced struct{ stack string }

func (traced) Error() string { return "no" }

func (e traced) Format(to fmt.State, verb rune) {
	_, _ = io.WriteString(to, "no")
	if verb == 'v' && to.Flag('+') {
		_, _ = io.WriteString(to, e.stack)
	}
}

func TestStacks(t *testing.T) {
	for name, one := range map[string]struct {
		err  error
		want string
	}{
		"of an error that knows its stack": {traced{"\nat pay.go:7"}, "no\nat pay.go:7"},
		"of one inside another":            {NonRetryable(fmt.Errorf("pay: %w", traced{"\nat pay.go:7"})), "no\nat pay.go:7"},
		"of an error that knows none":      {traced{}, ""},
		"of a plain error":                 {errors.New("no"), ""},
		"of a long one its beginning":      {traced{strings.Repeat("s", 20_000)}, "no" + strings.Repeat("s", longestStack-2)},
	} {
		t.Run("C-109: the stack "+name, func(t *testing.T) {
			_, failed := reportOf(t, fails(one.err))
			if len(failed) != 1 || failed[0].Stack != one.want {
				t.Errorf("%+v", failed)
			}
			single := failRequest("w", &report{job: aJob("j1"), outcome: outcomeOfError(one.err)})
			if single.Stack != one.want {
				t.Errorf("%+v", single)
			}
		})
	}
}

// unreadable panics when it is asked for its text.
type unreadable struct{}

func (unreadable) Error() string { panic("no text") }

func TestHandlersThatDoNotReturn(t *testing.T) {
	panics := func(value any) Handler {
		return func(context.Context, millrace.Job) (millrace.Variables, error) { panic(value) }
	}
	for name, one := range map[string]struct {
		handler Handler
		want    millrace.FailedReport
	}{
		"a panic whose Error panics": {
			panics(unreadable{}), millrace.FailedReport{ErrorMessage: "panic: %!v(PANIC=Error method: no text)"}},
		"a panic whose String panics": {
			panics(mute{}), millrace.FailedReport{ErrorMessage: "panic: %!v(PANIC=String method: no text)"}},
		"an error whose Error panics": {
			fails(unreadable{}), millrace.FailedReport{Retryable: true, ErrorMessage: "an error of type " +
				"worker.unreadable, whose text cannot be read: its Error method panicked"}},
		"runtime.Goexit, as t.FailNow does": {
			exits, millrace.FailedReport{ErrorMessage: "the handler ended its goroutine without returning " +
				"(runtime.Goexit)"}},
	} {
		for _, limit := range []float64{0, 60} {
			t.Run(fmt.Sprintf("C-109: %s fails the job, and the worker goes on, limit %g", name, limit), func(t *testing.T) {
				one.want.JobID, one.want.LeaseToken = "bad", "t-bad"
				synctest.Test(t, func(t *testing.T) { failsThenWorks(t, one.handler, limit, one.want) })
			})
		}
	}
}

type mute struct{}

func (mute) String() string { panic("no text") }

func exits(context.Context, millrace.Job) (millrace.Variables, error) {
	runtime.Goexit()
	return nil, nil
}

// failsThenWorks runs a bad job and then a good one, in the one place that the worker has.
func failsThenWorks(t *testing.T, bad Handler, limit float64, want millrace.FailedReport) {
	t.Helper()
	first := aJob("bad")
	first.TimeoutSeconds = limit
	engine := newFakeEngine(first, aJob("good"))
	w := start(t, engine, func(ctx context.Context, job millrace.Job) (millrace.Variables, error) {
		if job.ID == "bad" {
			return bad(ctx, job)
		}
		return nil, nil
	}, WithConcurrency(1))
	synctest.Wait()
	if result := stop(t, w); !result.Drained {
		t.Errorf("%+v", result)
	}
	completed, failed := engine.reports()
	if len(failed) != 1 || len(completed) != 1 {
		t.Fatalf("%+v %+v", completed, failed)
	}
	// Where a panic was is told as well; that differs from run to run.
	failed[0].Stack = ""
	if !reflect.DeepEqual(failed[0], want) {
		t.Errorf("%+v", failed[0])
	}
	if len(engine.heartbeats) > 0 {
		t.Error("the lease of a job that ended was kept")
	}
}

// nested is an object of that many levels.
func nested(levels int) millrace.Variables {
	value := millrace.Variables{}
	for range levels - 1 {
		value = millrace.Variables{"a": value}
	}
	return value
}

func TestErrorsOfHandlersAreLogged(t *testing.T) {
	var log bytes.Buffer
	reportOf(t, fails(errors.New("the bank said no")), WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if !strings.Contains(log.String(), "the bank said no") || !strings.Contains(log.String(), "jobType=a") {
		t.Error(log.String())
	}
}

func TestUnknownJobType(t *testing.T) {
	t.Run("C-109: a job without a handler fails for good", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			job := aJob("j1")
			job.JobType = "X"
			engine := newFakeEngine(job)
			w := start(t, engine, nothingToDo)
			synctest.Wait()
			stop(t, w)
			_, failed := engine.reports()
			if len(failed) != 1 || failed[0].Retryable || failed[0].ErrorMessage != "no handler registered for X" {
				t.Errorf("%+v", failed)
			}
		})
	})
}

func TestHandlersAreGivenTheirJob(t *testing.T) {
	t.Run("C-106: everything that the engine said of the job, and where it stands in a trace", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			job := millrace.Job{
				ID: "j", JobType: "a", InstanceID: "i", StepID: "s", StepExecutionID: "e", Attempt: 2, RetriesRemaining: 3,
				Variables: millrace.Variables{
					"x": 1.0,
				}, LeaseToken: "t", IdempotencyKey: "k", Traceparent: "00-a-b-01", Tracestate: "v=1",
			}
			var got millrace.Job
			var trace millrace.TraceContext
			w := start(t, newFakeEngine(job), func(ctx context.Context, job millrace.Job) (millrace.Variables, error) {
				got, trace = job, millrace.TraceFromContext(ctx)
				return nil, nil
			})
			synctest.Wait()
			stop(t, w)
			if !reflect.DeepEqual(got, job) || trace.Traceparent != "00-a-b-01" || trace.Tracestate != "v=1" {
				t.Errorf("%+v %+v", got, trace)
			}
		})
	})
}

func TestMiddlewareGoesAroundEveryHandler(t *testing.T) {
	completed, _ := reportOf(t, func(context.Context, millrace.Job) (millrace.Variables, error) {
		return millrace.Variables{"inner": true}, nil
	}, WithMiddleware(func(next Handler) Handler {
		return func(ctx context.Context, job millrace.Job) (millrace.Variables, error) {
			variables, err := next(ctx, job)
			variables["outer"] = job.ID
			return variables, err
		}
	}))
	if len(completed) != 1 || completed[0].Variables["outer"] != "j1" || completed[0].Variables["inner"] != true {
		t.Errorf("%+v", completed)
	}
}
