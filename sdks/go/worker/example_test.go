package worker_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/worker"
)

type payment struct {
	Amount int `json:"amount"`
}

type receipt struct {
	Receipt string `json:"receipt"`
}

func ExampleTyped() {
	charge := worker.Typed(func(_ context.Context, _ millrace.Job, in payment) (receipt, error) {
		if in.Amount <= 0 {
			return receipt{}, worker.NonRetryable(errors.New("nothing to charge"))
		}
		return receipt{Receipt: fmt.Sprintf("R-%d", in.Amount)}, nil
	})
	variables, err := charge(context.Background(), millrace.Job{Variables: millrace.Variables{"amount": 42}})
	fmt.Println(variables, err)
	_, err = charge(context.Background(), millrace.Job{Variables: millrace.Variables{"amount": 0}})
	fmt.Println(err)
	// Output:
	// map[receipt:R-42] <nil>
	// nothing to charge
}

func ExampleNew() {
	client, err := millrace.New("http://127.0.0.1:8080")
	if err != nil {
		fmt.Println(err)
		return
	}
	handlers := worker.Handlers(map[string]worker.Handler{
		"charge-card": func(context.Context, millrace.Job) (millrace.Variables, error) {
			return millrace.Variables{"receipt": "R"}, nil
		},
	})
	metrics := worker.NewPrometheus()
	_, err = worker.New(client, "billing-1", handlers, worker.WithConcurrency(16), worker.WithMetrics(metrics))
	fmt.Println(handlers.JobTypes(), err)
	// Output: [charge-card] <nil>
}
