package worker

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

func manyJobs(count int) []millrace.Job {
	jobs := make([]millrace.Job, count)
	for i := range jobs {
		jobs[i] = aJob(fmt.Sprint(i))
	}
	return jobs
}

func TestOnlyFreePlacesAreAskedFor(t *testing.T) {
	for _, mode := range []Mode{Exchange, Poll} {
		t.Run("C-107: "+string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := newFakeEngine(manyJobs(20)...)
				var running, most atomic.Int64
				w := start(t, engine, func(context.Context, millrace.Job) (millrace.Variables, error) {
					most.Store(max(most.Load(), running.Add(1)))
					defer running.Add(-1)
					time.Sleep(time.Second)
					return nil, nil
				}, WithConcurrency(3), WithMode(mode))
				pass(10 * time.Second)
				stop(t, w)
				if most.Load() != 3 || engine.polls[0].MaxJobs != 3 {
					t.Errorf("%d ran at once, the first poll asked for %d", most.Load(), engine.polls[0].MaxJobs)
				}
				done := len(engine.completed)
				if mode == Exchange {
					completed, _ := engine.reports()
					done = len(completed)
				}
				if done != 20 {
					t.Errorf("%d were reported", done)
				}
			})
		})
	}
	t.Run("C-107: 64 unless told otherwise", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			w := start(t, engine, nothingToDo)
			synctest.Wait()
			stop(t, w)
			if engine.polls[0].MaxJobs != 64 || engine.polls[0].WorkerID != "w1" || engine.polls[0].LeaseSeconds != 30 {
				t.Errorf("%+v", engine.polls[0])
			}
		})
	})
}

func TestPolling(t *testing.T) {
	t.Run("C-108: long polls of 20 s, one after the other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			w := start(t, engine, nothingToDo)
			pass(61 * time.Second)
			stop(t, w)
			if len(engine.polls) != 4 || engine.polls[0].WaitSeconds != 20 {
				t.Errorf("%d polls of %d s", len(engine.polls), engine.polls[0].WaitSeconds)
			}
		})
	})
	t.Run("a wait leaves a third of the lease", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			w := start(t, engine, nothingToDo, WithLease(9*time.Second))
			synctest.Wait()
			stop(t, w)
			if engine.polls[0].WaitSeconds != 6 {
				t.Error(engine.polls[0].WaitSeconds)
			}
		})
	})
	t.Run("C-108: short polls come at a fixed interval", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			w := start(t, engine, nothingToDo, WithShortPoll(500*time.Millisecond))
			pass(1900 * time.Millisecond)
			stop(t, w)
			if len(engine.polls) != 4 || engine.polls[0].WaitSeconds != 0 {
				t.Errorf("%d polls", len(engine.polls))
			}
			for i, at := range engine.pollTimes[1:] {
				if gap := at.Sub(engine.pollTimes[i]); gap != 500*time.Millisecond {
					t.Errorf("%v between polls", gap)
				}
			}
		})
	})
	t.Run("C-108: a poll that fails is backed off from", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			engine.onPoll = func(n int) error {
				if n <= 5 {
					return errors.New("gone")
				}
				return nil
			}
			begin := time.Now()
			w := start(t, engine, nothingToDo)
			pass(10 * time.Second)
			stop(t, w)
			// 100, 200, 400, 800 and 1600 ms, each ±20 %.
			if took := engine.pollTimes[5].Sub(begin); took < 2480*time.Millisecond || took > 3720*time.Millisecond {
				t.Errorf("the sixth poll came after %v", took)
			}
		})
	})
	t.Run("the engine's Retry-After is waited for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			engine.onPoll = func(n int) error {
				if n > 1 {
					return nil
				}
				return &millrace.Error{Code: millrace.CodeRateLimited, Status: 429, RetryAfter: 7 * time.Second}
			}
			w := start(t, engine, nothingToDo)
			pass(8 * time.Second)
			stop(t, w)
			if gap := engine.pollTimes[1].Sub(engine.pollTimes[0]); gap != 7*time.Second {
				t.Error(gap)
			}
		})
	})
	t.Run("an engine that answers at once is not asked without a pause", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine()
			w := start(t, hasty{engine}, nothingToDo)
			pass(10 * time.Second)
			stop(t, w)
			if count := len(engine.polls); count > 30 {
				t.Errorf("%d polls in 10 s", count)
			}
		})
	})
}

// hasty never waits.
type hasty struct{ *fakeEngine }

func (h hasty) Poll(
	ctx context.Context, request millrace.PollRequest, _ ...millrace.CallOption,
) ([]millrace.Job, error) {
	request.WaitSeconds = 0
	return h.fakeEngine.Poll(ctx, request)
}

func TestStop(t *testing.T) {
	t.Run("C-110: handlers finish and are reported, no jobs are asked for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("j1"))
			w := start(t, engine, sleeps(10*time.Second))
			synctest.Wait()
			engine.mu.Lock()
			engine.queue = append(engine.queue, aJob("j2"))
			engine.mu.Unlock()
			result := stop(t, w)
			completed, _ := engine.reports()
			if result != (Result{Drained: true}) || len(completed) != 1 || engine.exchanges[0].Poll != nil {
				t.Errorf("%+v %+v", result, engine.exchanges)
			}
		})
	})
	t.Run("C-110: a stop that does not wait tells the handlers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine, handler := newFakeEngine(aJob("j1")), &untilCancelled{}
			w := start(t, engine, handler.handle)
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			result := w.Stop(ctx)
			synctest.Wait()
			if result != (Result{Unfinished: 1}) || handler.after != 3*time.Second || !errors.Is(handler.cause, ErrStopped) {
				t.Errorf("%+v %+v", result, handler)
			}
			if len(engine.exchanges) != 0 {
				t.Error("the lease brings the job back, nothing is to be reported")
			}
		})
	})
	t.Run("C-110: the end of the context of Run drains", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("j1"))
			w, err := New(engine, "w", Handlers(map[string]Handler{"a": sleeps(20 * time.Second)}))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if result, err := w.Run(ctx); err != nil || !result.Drained {
				t.Error(result, err)
			}
			if completed, _ := engine.reports(); len(completed) != 1 {
				t.Error("the job was not reported")
			}
		})
	})
	t.Run("a second stop says the same", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := start(t, newFakeEngine(), nothingToDo)
			if first, second := stop(t, w), stop(t, w); first != second || !first.Drained {
				t.Error(first, second)
			}
		})
	})
}

func TestMetrics(t *testing.T) {
	t.Run("C-114: the five metrics of every SDK", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("good"), aJob("bad"), aJob("worse"), aJob("stale"))
			engine.onExchange = func(_ int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				result := engine.accept(request)
				for i, one := range result.Results {
					if one.JobID == "stale" {
						result.Results[i].Outcome = "stale"
					}
				}
				return result, nil
			}
			metrics := NewPrometheus()
			w := start(t, engine, func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
				time.Sleep(2 * time.Second)
				switch job.ID {
				case "bad":
					return nil, errors.New("no")
				case "worse":
					return nil, NonRetryable(errors.New("no"))
				}
				return nil, nil
			}, WithMetrics(metrics))
			pass(5 * time.Second)
			stop(t, w)
			for _, line := range []string{
				`workflow_sdk_jobs_completed_total{job_type="a",outcome="success"} 1`,
				`workflow_sdk_jobs_completed_total{job_type="a",outcome="failure"} 2`,
				`workflow_sdk_retries_total{job_type="a"} 1`,
				`workflow_sdk_lock_conflicts_total 1`,
				`workflow_sdk_handler_latency_seconds_count{job_type="a"} 4`,
				`workflow_sdk_handler_latency_seconds_sum{job_type="a"} 8`,
				`workflow_sdk_handler_latency_seconds_bucket{job_type="a",le="1"} 0`,
				`workflow_sdk_handler_latency_seconds_bucket{job_type="a",le="5"} 4`,
				`workflow_sdk_handler_latency_seconds_bucket{job_type="a",le="+Inf"} 4`,
				`# TYPE workflow_sdk_poll_latency_seconds histogram`,
			} {
				if !strings.Contains(metrics.Text(), line+"\n") {
					t.Errorf("%s is missing in\n%s", line, metrics.Text())
				}
			}
		})
	})
}

func TestReports(t *testing.T) {
	t.Run("what finishes during a request goes together in the next", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(manyJobs(10)...)
			engine.onExchange = func(_ int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				time.Sleep(time.Second)
				return engine.accept(request), nil
			}
			w := start(t, engine, func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
				if job.ID != "0" {
					time.Sleep(100 * time.Millisecond)
				}
				return nil, nil
			})
			pass(5 * time.Second)
			stop(t, w)
			var sizes []int
			for _, request := range engine.exchanges {
				sizes = append(sizes, len(request.Completed))
			}
			if !slices.Equal(sizes, []int{1, 9}) {
				t.Error(sizes)
			}
		})
	})
	t.Run("reports that were not delivered are sent again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("j1"))
			engine.onExchange = func(n int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				if n <= 3 {
					return millrace.ExchangeResult{}, &millrace.TransportError{Kind: millrace.Interrupted, Message: "broke"}
				}
				return engine.accept(request), nil
			}
			metrics := NewPrometheus()
			w := start(t, engine, nothingToDo, WithMetrics(metrics))
			pass(5 * time.Second)
			stop(t, w)
			if len(engine.exchanges) != 4 || metrics.completed.values[`job_type="a",outcome="success"`] != 1 {
				t.Error(len(engine.exchanges), metrics.Text())
			}
		})
	})
	t.Run("reports are dropped when their lease is surely gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("j1"))
			engine.onExchange = func(int, millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				return millrace.ExchangeResult{}, &millrace.TransportError{Kind: millrace.Unreachable, Message: "gone"}
			}
			w := start(t, engine, nothingToDo, WithLease(30*time.Second))
			pass(2 * time.Minute)
			if result := stop(t, w); !result.Drained {
				t.Errorf("%+v", result)
			}
		})
	})
	t.Run("variables that cannot be sent fail their job for good, and the others pass", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("bad"), aJob("good"))
			notJSON := fmt.Errorf("%w: a lone surrogate", millrace.ErrNotJSON)
			engine.onExchange = func(_ int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				if len(request.Completed) > 0 {
					return millrace.ExchangeResult{}, notJSON
				}
				return engine.accept(request), nil
			}
			engine.onComplete = func(request millrace.CompleteJob) error {
				if request.JobID == "bad" {
					return notJSON
				}
				return nil
			}
			w := start(t, engine, nothingToDo)
			synctest.Wait()
			stop(t, w)
			_, failed := engine.reports()
			want := "the handler returned variables that cannot be sent: what is to be sent is not JSON: a lone surrogate"
			if len(failed) != 1 || failed[0].JobID != "bad" || failed[0].Retryable || failed[0].ErrorMessage != want {
				t.Errorf("%+v", failed)
			}
			if len(engine.completed) != 2 {
				t.Errorf("%+v", engine.completed)
			}
		})
	})
	t.Run("variables that the engine refuses fail the job, and the others pass", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("good"), aJob("bad"))
			engine.onExchange = func(_ int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				if slices.ContainsFunc(request.Completed, func(one millrace.CompletedReport) bool { return one.JobID == "bad" }) {
					return millrace.ExchangeResult{}, refusal(413, millrace.CodePayloadTooLarge)
				}
				return engine.accept(request), nil
			}
			engine.onComplete = func(request millrace.CompleteJob) error {
				if request.JobID == "bad" {
					return refusal(413, millrace.CodePayloadTooLarge)
				}
				return nil
			}
			w := start(t, engine, nothingToDo)
			pass(5 * time.Second)
			stop(t, w)
			_, failed := engine.reports()
			if len(failed) != 1 || failed[0].JobID != "bad" || failed[0].Retryable {
				t.Errorf("%+v", failed)
			}
			want := "the engine refused the result: payload-too-large: payload-too-large"
			if failed[0].ErrorMessage != want {
				t.Error(failed[0].ErrorMessage)
			}
		})
	})
	t.Run("a report over which the engine breaks waits apart", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("j1"))
			engine.onExchange = func(n int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				if n == 1 {
					return millrace.ExchangeResult{}, refusal(500, millrace.CodeInternalError)
				}
				return engine.accept(request), nil
			}
			engine.onComplete = func(millrace.CompleteJob) error { return refusal(500, millrace.CodeInternalError) }
			w := start(t, engine, nothingToDo)
			pass(5 * time.Second)
			if result := stop(t, w); !result.Drained || len(engine.exchanges) != 2 {
				t.Errorf("%+v after %d exchanges", result, len(engine.exchanges))
			}
		})
	})
	t.Run("a report over which the connection breaks holds up no other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("large"))
			broken := true
			engine.onExchange = func(_ int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				if broken && len(request.Completed) > 0 && request.Completed[0].JobID == "large" {
					return millrace.ExchangeResult{}, &millrace.TransportError{Kind: millrace.Interrupted}
				}
				return engine.accept(request), nil
			}
			w := start(t, engine, nothingToDo)
			pass(3 * time.Second)
			engine.offer(aJob("small"))
			pass(time.Millisecond)
			if completed, _ := engine.reports(); completed[len(completed)-1].JobID != "small" {
				t.Errorf("%+v", completed)
			}
			broken = false
			if result := stop(t, w); !result.Drained {
				t.Errorf("%+v", result)
			}
		})
	})
	t.Run("reports that were cut off together are sent one by one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("j1"), aJob("j2"), aJob("j3"))
			engine.onExchange = func(n int, request millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				if n == 1 {
					time.Sleep(time.Second)
					return engine.accept(request), nil
				}
				return millrace.ExchangeResult{}, &millrace.TransportError{Kind: millrace.Interrupted}
			}
			w := start(t, engine, func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
				if job.ID != "j1" {
					time.Sleep(100 * time.Millisecond)
				}
				return nil, nil
			})
			pass(2 * time.Second)
			if result := stop(t, w); !result.Drained || len(engine.completed) != 2 {
				t.Errorf("%+v after %+v and %+v", result, engine.completed, engine.exchanges)
			}
		})
	})
	t.Run("an engine without exchange is reported to one by one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(aJob("j1"))
			engine.onExchange = func(int, millrace.ExchangeRequest) (millrace.ExchangeResult, error) {
				return millrace.ExchangeResult{}, refusal(405, millrace.CodeMethodNotAllowed)
			}
			w := start(t, engine, nothingToDo)
			pass(time.Second)
			stop(t, w)
			want := []millrace.CompleteJob{{JobID: "j1", WorkerID: "w1", LeaseToken: "t-j1"}}
			if !reflect.DeepEqual(engine.completed, want) {
				t.Errorf("%+v", engine.completed)
			}
		})
	})
	t.Run("the question for more jobs goes with the reports", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			engine := newFakeEngine(manyJobs(5)...)
			w := start(t, engine, nothingToDo, WithConcurrency(1))
			pass(time.Second)
			stop(t, w)
			completed, _ := engine.reports()
			// A question may go by itself where a report is not there yet; one for each job would be five.
			if len(completed) != 5 || len(engine.polls) >= 5 {
				t.Errorf("%d reports, %d polls", len(completed), len(engine.polls))
			}
		})
	})
}

func TestBatchesFitIntoARequest(t *testing.T) {
	small := func(count int) []*report {
		reports := make([]*report, count)
		for i := range reports {
			reports[i] = &report{outcome: outcome{bytes: 1}}
		}
		return reports
	}
	if batch, rest := takeBatch(small(501)); len(batch) != 500 || len(rest) != 1 {
		t.Error(len(batch), len(rest))
	}
	large := []*report{{outcome: outcome{bytes: 900_000}}, {outcome: outcome{bytes: 10}}}
	if batch, rest := takeBatch(large); len(batch) != 1 || len(rest) != 1 {
		t.Error(len(batch), len(rest))
	}
	if batch, rest := takeBatch(nil); len(batch) != 0 || len(rest) != 0 {
		t.Error(len(batch), len(rest))
	}
}
