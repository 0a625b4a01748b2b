// An order: charge, decide by the amount, ship; with retries, a failure for good and typed handlers.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/millrace/millrace/sdks/go/flow"
	_ "github.com/millrace/millrace/sdks/go/grpctransport" // for a grpc:// address
	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/worker"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := millrace.New(address())
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	definition, err := orderFlow()
	if err != nil {
		return err
	}
	if _, err := client.UploadDefinition(ctx, definition); err != nil {
		return err
	}
	shop, err := worker.New(client, "shop", worker.Handlers(map[string]worker.Handler{
		"go-charge-card": worker.Typed(charge), "go-ship": ship, "go-gift-wrap": wrap,
	}))
	if err != nil {
		return err
	}
	if err := shop.Start(); err != nil {
		return err
	}
	defer shop.Stop(ctx)
	for _, amount := range []int{42, 4200, 0} {
		if err := order(ctx, client, amount); err != nil {
			return err
		}
	}
	return nil
}

func orderFlow() (millrace.Definition, error) {
	f := flow.New("go-order", "Order")
	f.ServiceTask("charge", "go-charge-card").Retries(3).Timeout(10 * time.Second).Then("is-large")
	f.Decision("is-large").When("amount > 1000", "wrap").Otherwise("ship")
	f.ServiceTask("wrap", "go-gift-wrap").Then("ship")
	f.ServiceTask("ship", "go-ship").Retries(5).Then("done")
	f.End("done")
	return f.Build()
}

// order starts an instance and waits for its end. A start that the SDK has to repeat is one start.
func order(ctx context.Context, client *millrace.Client, amount int) error {
	instance, err := client.StartInstance(ctx, millrace.StartInstance{
		DefinitionID: "go-order", Variables: millrace.Variables{"amount": amount},
	})
	for err == nil && instance.Status == millrace.InstanceStatusActive {
		time.Sleep(20 * time.Millisecond)
		instance, err = client.GetInstance(ctx, instance.ID)
	}
	receipt, wrapped := instance.Variables["receipt"], instance.Variables["wrapped"]
	fmt.Println(amount, instance.Status, receipt, wrapped, instance.FailureReason)
	return err
}

type payment struct {
	Amount int `json:"amount"`
}

type receipt struct {
	Receipt string `json:"receipt"`
}

// charge has an effect outside: it is keyed by job.IdempotencyKey, which stays the same over attempts.
func charge(_ context.Context, job millrace.Job, in payment) (receipt, error) {
	if in.Amount <= 0 {
		return receipt{}, worker.NonRetryable(errors.New("nothing to charge"))
	}
	if job.Attempt == 1 {
		return receipt{}, worker.RetryAfter(errors.New("the bank is busy"), 10*time.Millisecond)
	}
	return receipt{Receipt: fmt.Sprintf("R-%d", in.Amount)}, nil
}

func wrap(context.Context, millrace.Job) (millrace.Variables, error) {
	return millrace.Variables{"wrapped": true}, nil
}

func ship(context.Context, millrace.Job) (millrace.Variables, error) { return nil, nil }

func address() string {
	if url := os.Getenv("MILLRACE_URL"); url != "" {
		return url
	}
	return "http://127.0.0.1:8080"
}
