// Handlers that do what a script says, and what they were given.

package control

import (
	"context"
	"os"
	"sync"
	"time"
)

// Script says what a handler does.
type Script struct {
	WaitsFor          string            `json:"waitsFor"`
	SleepsMs          int               `json:"sleepsMs"`
	Exits             bool              `json:"exits"`
	Fails             string            `json:"fails"`
	FailsFirst        int               `json:"failsFirst"`
	Message           string            `json:"message"`
	RetryAfterSeconds *float64          `json:"retryAfterSeconds"`
	Sets              map[string]any    `json:"sets"`
	Copies            map[string]string `json:"copies"`
	CopiesFacts       map[string]string `json:"copiesFacts"`
}

// Facts are what a handler knows of its job.
type Facts struct {
	JobType          string `json:"jobType"`
	JobID            string `json:"jobId"`
	InstanceID       string `json:"instanceId"`
	StepID           string `json:"stepId"`
	StepExecutionID  string `json:"stepExecutionId"`
	Attempt          int    `json:"attempt"`
	RetriesRemaining int    `json:"retriesRemaining"`
	IdempotencyKey   string `json:"idempotencyKey"`
}

// Delivery is a job that a handler was given, and how that ended.
type Delivery struct {
	Facts
	State string `json:"state"`
}

// Failure is a failure that a script asked for.
type Failure struct {
	Message           string
	Retryable         bool
	RetryAfterSeconds *float64
}

// Bench has the deliveries so far, and the names that handlers may wait for.
type Bench struct {
	mu         sync.Mutex
	deliveries []*Delivery
	released   map[string]chan struct{}
}

// NewBench has seen nothing yet.
func NewBench() *Bench { return &Bench{released: map[string]chan struct{}{}} }

// Handled lists every delivery so far, oldest first.
func (b *Bench) Handled() []Delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]Delivery, len(b.deliveries))
	for i, delivery := range b.deliveries {
		list[i] = *delivery
	}
	return list
}

// Release lets go every handler that waits for this name, now or later.
func (b *Bench) Release(name string) {
	gate := b.gate(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-gate:
	default:
		close(gate)
	}
}

func (b *Bench) gate(name string) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.released[name]; !ok {
		b.released[name] = make(chan struct{})
	}
	return b.released[name]
}

// Run does what a script says: variables to return, or a failure.
func (b *Bench) Run(ctx context.Context, script Script, facts Facts, seen map[string]any) (map[string]any, *Failure) {
	delivery := &Delivery{Facts: facts, State: "started"}
	b.mu.Lock()
	b.deliveries = append(b.deliveries, delivery)
	b.mu.Unlock()
	variables, failure := b.follow(ctx, script, facts, seen)
	b.mu.Lock()
	defer b.mu.Unlock()
	delivery.State = stateOf(ctx, failure)
	return variables, failure
}

func stateOf(ctx context.Context, failure *Failure) string {
	switch {
	case ctx.Err() != nil:
		return "cancelled"
	case failure != nil:
		return "threw"
	}
	return "returned"
}

func (b *Bench) follow(
	ctx context.Context, script Script, facts Facts, seen map[string]any,
) (map[string]any, *Failure) {
	if script.WaitsFor != "" {
		select {
		case <-b.gate(script.WaitsFor):
		case <-ctx.Done():
		}
	}
	time.Sleep(time.Duration(script.SleepsMs) * time.Millisecond)
	if script.Exits {
		os.Exit(1)
	}
	if failure := script.failure(facts.Attempt); failure != nil {
		return nil, failure
	}
	return script.returned(facts, seen), nil
}

func (s Script) failure(attempt int) *Failure {
	message := s.Message
	if message == "" {
		message = "failed as told"
	}
	switch {
	case s.Fails == "for-good":
		return &Failure{Message: message}
	case s.Fails == "retryably", attempt <= s.FailsFirst:
		return &Failure{Message: message, Retryable: true, RetryAfterSeconds: s.RetryAfterSeconds}
	}
	return nil
}

func (s Script) returned(facts Facts, seen map[string]any) map[string]any {
	variables := map[string]any{}
	for name, value := range s.Sets {
		variables[name] = value
	}
	for to, from := range s.Copies {
		if value, ok := seen[from]; ok {
			variables[to] = value
		}
	}
	for to, fact := range s.CopiesFacts {
		variables[to] = facts.named(fact)
	}
	return variables
}

func (f Facts) named(fact string) any {
	switch fact {
	case "id":
		return f.JobID
	case "jobType":
		return f.JobType
	case "instanceId":
		return f.InstanceID
	case "stepId":
		return f.StepID
	case "stepExecutionId":
		return f.StepExecutionID
	case "attempt":
		return f.Attempt
	case "retriesRemaining":
		return f.RetriesRemaining
	case "idempotencyKey":
		return f.IdempotencyKey
	}
	return nil
}
