// What the program holds, and the commands about itself: open and close, the worker, its handlers.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/millrace/millrace/sdks/go/cmd/conformance/control"
	"github.com/millrace/millrace/sdks/go/kafka"
	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/worker"
)

type program struct {
	bench *control.Bench

	mu     sync.Mutex
	client *millrace.Client
	worker *worker.Worker
}

func newProgram() *program { return &program{bench: control.NewBench()} }

// command does one thing; with is read by it.
type command func(p *program, with json.RawMessage) (any, error)

var own = map[string]command{
	"open":        (*program).open,
	"close":       (*program).close,
	"startWorker": (*program).startWorker,
	"stopWorker":  (*program).stopWorker,
	"handled":     (*program).handled,
	"release":     (*program).release,
}

func (p *program) Do(name string, with json.RawMessage) (any, error) {
	if do, ok := own[name]; ok {
		return do(p, with)
	}
	if call, ok := calls[name]; ok {
		client, err := p.opened()
		if err != nil {
			return nil, err
		}
		return call(context.Background(), client, with)
	}
	return nil, fmt.Errorf("there is no command %q", name)
}

func (p *program) Explain(err error) control.Refusal {
	var refusal *millrace.Error
	if errors.As(err, &refusal) {
		return control.Refusal{Code: refusal.Code, Message: refusal.Message, Retryable: refusal.Retryable()}
	}
	return control.Refusal{Code: "client", Message: err.Error(), Retryable: millrace.IsRetryable(err)}
}

func (p *program) open(with json.RawMessage) (any, error) {
	given, err := control.Read[struct {
		URL     string `json:"url"`
		RestURL string `json:"restUrl"`
		APIKey  string `json:"apiKey"`
	}](with)
	if err != nil {
		return nil, err
	}
	client, err := millrace.New(given.URL, millrace.WithREST(given.RestURL), millrace.WithAPIKey(given.APIKey))
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client = client
	return nil, nil
}

func (p *program) opened() (*millrace.Client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client == nil {
		return nil, errors.New("open comes first")
	}
	return p.client, nil
}

func (p *program) close(json.RawMessage) (any, error) {
	client, err := p.opened()
	if err != nil {
		return nil, err
	}
	return nil, client.Close()
}

// viaKafka is the mode of a worker whose jobs come through Kafka.
const viaKafka worker.Mode = "kafka"

// newWorker makes one that is brought jobs by Kafka where brokers are named.
func newWorker(
	client *millrace.Client, id string, registry *worker.Registry, brokers string, options []worker.Option,
) (*worker.Worker, error) {
	if brokers == "" {
		return worker.New(client, id, registry, options...)
	}
	config := kafka.Config{Brokers: strings.Split(brokers, ","), Transport: kafka.Plaintext}
	return kafka.NewRunner(client, id, registry, config, options...)
}

func (p *program) startWorker(with json.RawMessage) (any, error) {
	given, err := control.Read[struct {
		WorkerID     string                    `json:"workerId"`
		Mode         worker.Mode               `json:"mode"`
		Handlers     map[string]control.Script `json:"handlers"`
		Concurrency  int                       `json:"concurrency"`
		LeaseSeconds int                       `json:"leaseSeconds"`
		Brokers      string                    `json:"brokers"`
	}](with)
	if err != nil {
		return nil, err
	}
	client, err := p.opened()
	if err != nil {
		return nil, err
	}
	var options []worker.Option
	if given.Mode != viaKafka {
		options = append(options, worker.WithMode(given.Mode))
	}
	if given.Concurrency > 0 {
		options = append(options, worker.WithConcurrency(given.Concurrency))
	}
	if given.LeaseSeconds > 0 {
		options = append(options, worker.WithLease(time.Duration(given.LeaseSeconds)*time.Second))
	}
	registry := worker.NewRegistry()
	for jobType, script := range given.Handlers {
		if err := registry.Register(jobType, p.handler(script)); err != nil {
			return nil, err
		}
	}
	made, err := newWorker(client, given.WorkerID, registry, given.Brokers, options)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.worker = made
	return nil, made.Start()
}

func (p *program) handler(script control.Script) worker.Handler {
	return func(ctx context.Context, job millrace.Job) (millrace.Variables, error) {
		facts := control.Facts{
			JobType: job.JobType, JobID: job.ID, InstanceID: job.InstanceID, StepID: job.StepID,
			StepExecutionID: job.StepExecutionID, Attempt: job.Attempt, RetriesRemaining: job.RetriesRemaining,
			IdempotencyKey: job.IdempotencyKey,
		}
		variables, failure := p.bench.Run(ctx, script, facts, job.Variables)
		return variables, asError(failure)
	}
}

func asError(failure *control.Failure) error {
	if failure == nil {
		return nil
	}
	err := errors.New(failure.Message)
	switch {
	case !failure.Retryable:
		return worker.NonRetryable(err)
	case failure.RetryAfterSeconds != nil:
		return worker.RetryAfter(err, time.Duration(*failure.RetryAfterSeconds*float64(time.Second)))
	}
	return err
}

func (p *program) stopWorker(with json.RawMessage) (any, error) {
	given, err := control.Read[struct {
		TimeoutSeconds *float64 `json:"timeoutSeconds"`
	}](with)
	if err != nil {
		return nil, err
	}
	timeout := 30.0
	if given.TimeoutSeconds != nil {
		timeout = *given.TimeoutSeconds
	}
	drained := p.drain(time.Duration(timeout * float64(time.Second)))
	return map[string]bool{"drained": drained}, nil
}

// drain is true where there is no worker.
func (p *program) drain(patience time.Duration) bool {
	p.mu.Lock()
	running := p.worker
	p.mu.Unlock()
	if running == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return running.Stop(ctx).Drained
}

func (p *program) handled(json.RawMessage) (any, error) {
	return map[string]any{"items": p.bench.Handled()}, nil
}

func (p *program) release(with json.RawMessage) (any, error) {
	given, err := control.Read[struct {
		Name string `json:"name"`
	}](with)
	if err == nil {
		p.bench.Release(given.Name)
	}
	return nil, err
}

// end drains the worker, closes the client and gives the exit code.
func (p *program) end() int {
	drained := p.drain(30 * time.Second)
	if client, err := p.opened(); err == nil {
		_ = client.Close()
	}
	if drained {
		return 0
	}
	return 1
}
