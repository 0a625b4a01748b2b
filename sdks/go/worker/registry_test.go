package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/millrace/millrace/sdks/go/millrace"
)

func TestRegistry(t *testing.T) {
	t.Run("C-105: it lists the types in the order in which they came", func(t *testing.T) {
		registry := NewRegistry()
		for _, jobType := range []string{"b", "a", "c"} {
			if err := registry.Register(jobType, nothingToDo); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(registry.JobTypes(), []string{"b", "a", "c"}) {
			t.Error(registry.JobTypes())
		}
	})
	t.Run("C-105: an empty type, no handler and a second handler are refused", func(t *testing.T) {
		registry := Handlers(map[string]Handler{"a": nothingToDo})
		for _, err := range []error{
			registry.Register("", nothingToDo), registry.Register("  ", nothingToDo), registry.Register("b", nil),
			registry.Register("a", nothingToDo),
		} {
			if err == nil {
				t.Error("it was taken")
			}
		}
	})
}

func TestWorkersAreMadeWithCare(t *testing.T) {
	registry := Handlers(map[string]Handler{"a": nothingToDo})
	engine := newFakeEngine()
	for name, make := range map[string]func() (*Worker, error){
		"no handlers":  func() (*Worker, error) { return New(engine, "w", NewRegistry()) },
		"needs an id":  func() (*Worker, error) { return New(engine, " ", registry) },
		"concurrency":  func() (*Worker, error) { return New(engine, "w", registry, WithConcurrency(0)) },
		"lease":        func() (*Worker, error) { return New(engine, "w", registry, WithLease(0)) },
		"mode must be": func() (*Worker, error) { return New(engine, "w", registry, WithMode("push")) },
		"started before": func() (*Worker, error) {
			w, _ := New(engine, "w", registry)
			defer w.Stop(context.Background())
			_ = w.Start()
			return w, w.Start()
		},
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTyped(t *testing.T) {
	type order struct {
		Amount int `json:"amount"`
	}
	type receipt struct {
		Receipt string `json:"receipt"`
	}
	handler := Typed(func(_ context.Context, _ millrace.Job, in order) (receipt, error) {
		if in.Amount == 0 {
			return receipt{}, errors.New("nothing to charge")
		}
		return receipt{Receipt: "R"}, nil
	})
	out, err := handler(t.Context(), millrace.Job{Variables: millrace.Variables{"amount": 3, "other": true}})
	if err != nil || out["receipt"] != "R" {
		t.Error(out, err)
	}
	_, err = handler(t.Context(), millrace.Job{Variables: millrace.Variables{"amount": "three"}})
	var final *NonRetryableError
	if !errors.As(err, &final) {
		t.Error(err)
	}
	if _, err = handler(t.Context(), millrace.Job{}); err == nil || err.Error() != "nothing to charge" {
		t.Error(err)
	}
}
