// A worker whose jobs come through Kafka, of an engine with WE_DISPATCH_MODE=kafka_outbox and the topic
// workflow.jobs.kafka-greet.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/millrace/millrace/sdks/go/flow"
	_ "github.com/millrace/millrace/sdks/go/grpctransport" // for a grpc:// address
	"github.com/millrace/millrace/sdks/go/kafka"
	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/worker"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := millrace.New(setting("MILLRACE_URL", "http://127.0.0.1:8080"))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()

	greeting := flow.New("kafka-greeting", "Greeting")
	greeting.ServiceTask("greet", "kafka-greet").Retries(3)
	definition, err := greeting.Build()
	if err != nil {
		return err
	}
	if _, err := client.UploadDefinition(ctx, definition); err != nil {
		return err
	}

	brokers := strings.Split(setting("MILLRACE_KAFKA_BROKERS", "127.0.0.1:9092"), ",")
	handlers := worker.Handlers(map[string]worker.Handler{"kafka-greet": greet})
	config := kafka.Config{Brokers: brokers, Transport: kafka.Plaintext}
	greeter, err := kafka.NewRunner(client, "kafka-worker", handlers, config)
	if err != nil {
		return err
	}
	if err := greeter.Start(); err != nil {
		return err
	}
	defer greeter.Stop(ctx)

	instance, err := client.StartInstance(ctx, millrace.StartInstance{
		DefinitionID: "kafka-greeting", Variables: millrace.Variables{"name": "Ada"},
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

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
