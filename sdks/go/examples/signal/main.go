// A workflow waits for the world: a WAIT step parks until a signal brings what happened, or a timer ends the wait.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/millrace/millrace/sdks/go/flow"
	_ "github.com/millrace/millrace/sdks/go/grpctransport" // for a grpc:// address
	"github.com/millrace/millrace/sdks/go/millrace"
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

	f := flow.New("go-payment", "Payment")
	f.Wait("paid").On(flow.Timer{After: 24 * time.Hour, Target: "late", Interrupting: true}).Then("done")
	f.Transformation("late").Set("expired", true).Then("done")
	f.End("done")
	definition, err := f.Build()
	if err != nil {
		return err
	}
	if _, err := client.UploadDefinition(ctx, definition); err != nil {
		return err
	}
	started, err := client.StartInstance(ctx, millrace.StartInstance{DefinitionID: "go-payment"})
	if err != nil {
		return err
	}
	fmt.Println(started.Status, started.CurrentStepIDs)
	paid := millrace.StepRef{InstanceID: started.ID, StepID: "paid"}
	if err := client.Signal(ctx, paid, millrace.Variables{"receipt": "R-1"}); err != nil {
		return err
	}
	ended, err := client.GetInstance(ctx, started.ID)
	if err != nil {
		return err
	}
	fmt.Println(ended.Status, ended.Variables["receipt"])

	// A second signal finds nothing that waits: the error says so by its code.
	if err := client.Signal(ctx, paid, nil); millrace.IsCode(err, millrace.CodeConflict) {
		fmt.Println("signalled before")
	}
	return nil
}

func address() string {
	if url := os.Getenv("MILLRACE_URL"); url != "" {
		return url
	}
	return "http://127.0.0.1:8080"
}
