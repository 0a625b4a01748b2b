// Which function runs which job type.

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// Handler runs one job. What it returns is merged into the instance's variables. Its context ends when the lease is
// lost, when the attempt's time is over or when the worker will not wait any longer; context.Cause says which.
type Handler func(ctx context.Context, job millrace.Job) (millrace.Variables, error)

// Registry has a handler for each job type. Fill it before the worker starts.
type Registry struct {
	handlers map[string]Handler
	order    []string
}

// NewRegistry has no handlers yet.
func NewRegistry() *Registry { return &Registry{handlers: map[string]Handler{}} }

// Register names the handler of a job type. It is a map insert and nothing else.
func (r *Registry) Register(jobType string, handler Handler) error {
	if strings.TrimSpace(jobType) == "" {
		return errors.New("a job type must not be empty")
	}
	if handler == nil {
		return fmt.Errorf("the handler of %q is nil", jobType)
	}
	if _, taken := r.handlers[jobType]; taken {
		return fmt.Errorf("%q has a handler already", jobType)
	}
	r.handlers[jobType] = handler
	r.order = append(r.order, jobType)
	return nil
}

// JobTypes lists the types in the order in which they were registered.
func (r *Registry) JobTypes() []string { return slices.Clone(r.order) }

func (r *Registry) find(jobType string) Handler { return r.handlers[jobType] }

// Handlers makes a registry of a map. It panics where Register would fail, which is a mistake of the program.
func Handlers(handlers map[string]Handler) *Registry {
	registry := NewRegistry()
	for _, jobType := range sortedKeys(handlers) {
		if err := registry.Register(jobType, handlers[jobType]); err != nil {
			panic("worker: " + err.Error())
		}
	}
	return registry
}

func sortedKeys(handlers map[string]Handler) []string {
	names := make([]string, 0, len(handlers))
	for name := range handlers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Typed makes a handler of a function over structs: the job's variables are read into In, and Out is written as an
// object. Variables that In cannot hold fail the job for good.
func Typed[In, Out any](run func(ctx context.Context, job millrace.Job, in In) (Out, error)) Handler {
	return func(ctx context.Context, job millrace.Job) (millrace.Variables, error) {
		var in In
		if err := convert(job.Variables, &in); err != nil {
			return nil, NonRetryable(fmt.Errorf("the variables are not as the handler expects: %w", err))
		}
		out, err := run(ctx, job, in)
		if err != nil {
			return nil, err
		}
		var variables millrace.Variables
		if err := convert(out, &variables); err != nil {
			return nil, NonRetryable(fmt.Errorf("the handler returned what is not an object of variables: %w", err))
		}
		return variables, nil
	}
}

func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}
