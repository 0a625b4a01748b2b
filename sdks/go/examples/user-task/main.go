// A person decides: a workflow stops at a user task, the inbox lists it, and its completion goes on.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

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
	// The inbox is served over REST: a gRPC client takes a REST address beside its own.
	client, err := millrace.New(address(), millrace.WithREST(os.Getenv("MILLRACE_REST_URL")))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()

	f := flow.New("go-approval", "Approval")
	f.UserTask("approve").AssigneeGroup("go-managers").Form(millrace.VariableSchema{
		Properties: map[string]millrace.VariableSchemaProperty{"approved": {Type: "boolean"}}, Required: []string{"approved"},
	}).Then("done")
	f.End("done")
	definition, err := f.Build()
	if err != nil {
		return err
	}
	if _, err := client.UploadDefinition(ctx, definition); err != nil {
		return err
	}
	started, err := client.StartInstance(ctx, millrace.StartInstance{
		DefinitionID: "go-approval", Variables: millrace.Variables{"amount": 4200},
	})
	if err != nil {
		return err
	}
	fmt.Println(started.Status, started.CurrentStepIDs)
	if err := answerInbox(ctx, client); err != nil {
		return err
	}
	ended, err := client.GetInstance(ctx, started.ID)
	fmt.Println(ended.Status, ended.Variables["approved"])
	return err
}

// answerInbox approves everything that waits for the group.
func answerInbox(ctx context.Context, client *millrace.Client) error {
	for task, err := range client.UserTasks(ctx, millrace.ListUserTasksQuery{Group: "go-managers"}) {
		if err != nil {
			return err
		}
		if _, err := client.ClaimUserTask(ctx, task.ID, "ada"); err != nil {
			return err
		}
		err := client.CompleteUserTask(ctx, millrace.StepRef{InstanceID: task.InstanceID, StepID: task.StepID},
			millrace.CompleteUserTask{CompletedBy: "ada", Variables: millrace.Variables{"approved": true}})
		if err != nil {
			return err
		}
	}
	return nil
}

func address() string {
	if url := os.Getenv("MILLRACE_URL"); url != "" {
		return url
	}
	return "http://127.0.0.1:8080"
}
