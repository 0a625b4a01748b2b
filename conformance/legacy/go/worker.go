// A worker as existing ones are: polls at an interval for the places it has, reports by worker id alone.

package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/millrace/millrace/sdks/go/cmd/conformance/control"
)

const (
	pollInterval = 500 * time.Millisecond
	maxJobs      = 64
)

type legacyWorker struct {
	engine   engine
	bench    *control.Bench
	given    workerOptions
	places   chan struct{}
	stopping chan struct{}
	running  sync.WaitGroup

	mu sync.Mutex
	// The old contract does not tell the attempt: the deliveries that came here are counted.
	seen map[string]int
}

type workerOptions struct {
	WorkerID     string                    `json:"workerId"`
	Mode         string                    `json:"mode"`
	Handlers     map[string]control.Script `json:"handlers"`
	Concurrency  int                       `json:"concurrency"`
	LeaseSeconds int                       `json:"leaseSeconds"`
}

type job struct {
	ID               string `json:"id"`
	JobType          string `json:"jobType"`
	InstanceID       string `json:"instanceId"`
	StepID           string `json:"stepId"`
	StepExecutionID  string `json:"stepExecutionId"`
	RetriesRemaining int    `json:"retriesRemaining"`
	Variables        object `json:"variables"`
}

func startWorker(engine engine, bench *control.Bench, given workerOptions) (*legacyWorker, error) {
	if err := checkWorker(given); err != nil {
		return nil, err
	}
	if given.Concurrency == 0 {
		given.Concurrency = maxJobs
	}
	w := &legacyWorker{
		engine: engine, bench: bench, given: given, places: make(chan struct{}, given.Concurrency),
		stopping: make(chan struct{}), seen: map[string]int{},
	}
	w.running.Go(w.pollOn)
	return w, nil
}

func checkWorker(given workerOptions) error {
	if given.Mode != "poll" {
		return notSayable("mode " + given.Mode)
	}
	for _, script := range given.Handlers {
		if script.RetryAfterSeconds != nil {
			return notSayable("retryAfterSeconds")
		}
	}
	return nil
}

// stop is true when every handler ended in time.
func (w *legacyWorker) stop(timeout time.Duration) bool {
	close(w.stopping)
	drained := make(chan struct{})
	go func() {
		w.running.Wait()
		close(drained)
	}()
	select {
	case <-drained:
		return true
	case <-time.After(timeout):
		return false
	}
}

func (w *legacyWorker) pollOn() {
	for {
		for _, one := range w.poll(cap(w.places) - len(w.places)) {
			w.places <- struct{}{}
			w.running.Go(func() {
				defer func() { <-w.places }()
				w.run(one)
			})
		}
		select {
		case <-w.stopping:
			return
		case <-time.After(pollInterval):
		}
	}
}

func (w *legacyWorker) poll(free int) []job {
	if free == 0 {
		return nil
	}
	types := make([]string, 0, len(w.given.Handlers))
	for jobType := range w.given.Handlers {
		types = append(types, jobType)
	}
	answer, err := w.call("poll", object{
		"workerId": w.given.WorkerID, "jobTypes": types, "maxJobs": min(maxJobs, free), "leaseSeconds": w.given.LeaseSeconds,
	})
	var polled struct {
		Jobs []job `json:"jobs"`
	}
	if err == nil {
		err = json.Unmarshal(answer, &polled)
	}
	if err != nil {
		slog.Warn("poll failed", "error", err)
	}
	return polled.Jobs
}

// run reports as existing runners do: an error on complete becomes a failure that may be retried.
func (w *legacyWorker) run(one job) {
	w.mu.Lock()
	w.seen[one.ID]++
	attempt := w.seen[one.ID]
	w.mu.Unlock()
	facts := control.Facts{
		JobType: one.JobType, JobID: one.ID, InstanceID: one.InstanceID, StepID: one.StepID,
		StepExecutionID: one.StepExecutionID, RetriesRemaining: one.RetriesRemaining, Attempt: attempt,
	}
	variables, failure := w.bench.Run(context.Background(), w.given.Handlers[one.JobType], facts, one.Variables)
	if failure != nil {
		w.fail(one, failure.Message, failure.Retryable)
		return
	}
	report := object{"jobId": one.ID, "workerId": w.given.WorkerID, "variables": variables}
	if _, err := w.call("complete", report); err != nil {
		w.fail(one, err.Error(), true)
	}
}

func (w *legacyWorker) fail(one job, message string, retryable bool) {
	report := object{"jobId": one.ID, "workerId": w.given.WorkerID, "errorMessage": message, "retryable": retryable}
	if _, err := w.call("fail", report); err != nil {
		slog.Warn("a report failed", "jobId", one.ID, "error", err)
	}
}

func (w *legacyWorker) call(name string, with object) (json.RawMessage, error) {
	given := fields{}
	for key, value := range with {
		content, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		given[key] = content
	}
	return w.engine.call(name, given)
}
