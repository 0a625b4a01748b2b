// A worker that greets: uploads a workflow of one task, starts it, and runs the task.
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

	greeting := flow.New("go-greeting", "Greeting")
	greeting.ServiceTask("greet", "go-greet").Retries(3)
	definition, err := greeting.Build()
	if err != nil {
		return err
	}
	if _, err := client.UploadDefinition(ctx, definition); err != nil {
		return err
	}

	greeter, err := worker.New(client, "first-worker", worker.Handlers(map[string]worker.Handler{"go-greet": greet}))
	if err != nil {
		return err
	}
	if err := greeter.Start(); err != nil {
		return err
	}
	defer greeter.Stop(ctx)

	instance, err := client.StartInstance(ctx, millrace.StartInstance{
		DefinitionID: "go-greeting", Variables: millrace.Variables{"name": "Ada"},
	})
	for err == nil && instance.Status == millrace.InstanceStatusActive {
		time.Sleep(20 * time.Millisecond)
		instance, err = client.GetInstance(ctx, instance.ID)
	}
	fmt.Println(instance.Status, instance.Variables["greeting"])
	return err
}

// greet is given the variables of its instance; what it returns is merged into them.
func greet(_ context.Context, job millrace.Job) (millrace.Variables, error) {
	return millrace.Variables{"greeting": fmt.Sprintf("Hello, %v!", job.Variables["name"])}, nil
}

func address() string {
	if url := os.Getenv("MILLRACE_URL"); url != "" {
		return url
	}
	return "http://127.0.0.1:8080"
}
