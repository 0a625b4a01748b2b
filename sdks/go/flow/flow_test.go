package flow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

func Example() {
	order := New("order", "Order")
	order.ServiceTask("charge", "charge-card").Retries(3).Then("decide")
	order.Decision("decide").When("amount > 1000", "ask").Otherwise("done")
	order.UserTask("ask").AssigneeGroup("ops").Then("done")
	order.End("done")
	definition, err := order.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range definition.Steps {
		fmt.Println(step.Type, step.ID)
	}
	// Output:
	// SERVICE_TASK charge
	// DECISION decide
	// USER_TASK ask
	// END done
}

func TestEveryKindOfStep(t *testing.T) {
	f := New("d", "D").Description("about").Priority(millrace.PriorityHigh).Deadline(time.Hour).Chain("next").
		Metadata(map[string]any{"team": "a"}).Input(millrace.VariableSchema{Required: []string{"x"}})
	f.ServiceTask("a", "j").Name("A").Retry(millrace.RetryPolicy{Retries: 2, Base: "PT1S"}).Timeout(time.Minute).
		ContinueOnError().Priority(millrace.PriorityCritical).Downstream("bank").Output(millrace.VariableSchema{}).
		On(Timer{After: 30 * time.Second, Target: "u", Interrupting: true}).When("x > 1", "u").Then("f")
	f.Parallel("f", "j", "w", "t")
	f.Wait("w").KeepEarly().For(time.Minute).On(Timer{After: 2 * time.Second, Target: "j"}).OnFailure("j").Then("j")
	f.Transformation("t").Set("b", "${a}").Set("a", 1).Then("j")
	f.Join("j").Then("u")
	f.UserTask("u").Assignee("ada").DueIn(time.Hour).Form(millrace.VariableSchema{}).Then("e")
	f.End("e")
	definition, err := f.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	want, err := millrace.ParseDefinition([]byte(`{"id":"d","name":"D","description":"about",
		"priority":"high","deadline":"PT60M",
		"autoStartNextWorkflow":true,"nextWorkflowId":"next","metadata":{"team":"a"},"inputSchema":{"required":["x"]},
		"steps":[
		{"id":"a","name":"A","type":"SERVICE_TASK","jobType":"j","retry":{"retries":2,"base":"PT1S"},"timeout":{"run":"PT1M"},
		 "onError":"continue","priority":"critical","downstream":"bank","outputSchema":{},
		 "conditionalNextSteps":{"x > 1":"u"},
		 "boundaryEvents":[{"type":"TIMER","duration":"PT30S","interrupting":true,"targetStepId":"u"}],"nextStep":"f"},
		{"id":"f","name":"f","type":"PARALLEL_GATEWAY","parallelNextSteps":["w","t"],"joinStep":"j"},
		{"id":"w","name":"w","type":"WAIT","keepEarly":true,"duration":"PT1M","boundaryEvents":[
		 {"type":"TIMER","duration":"PT2S","targetStepId":"j"},{"type":"ERROR","interrupting":true,"targetStepId":"j"}],
		 "nextStep":"j"},
		{"id":"t","name":"t","type":"TRANSFORMATION","transformations":{"b":"${a}","a":1},"nextStep":"j"},
		{"id":"j","name":"j","type":"JOIN_GATEWAY","nextStep":"u"},
		{"id":"u","name":"u","type":"USER_TASK","assignee":"ada","dueIn":"PT60M","form":{},"nextStep":"e"},
		{"id":"e","name":"e","type":"END"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	wanted, _ := json.Marshal(want)
	if string(got) != string(wanted) {
		t.Errorf("got  %s\nwant %s", got, wanted)
	}
}

func TestBuildRefusesWhatCannotBe(t *testing.T) {
	f := New("d", "D")
	f.ServiceTask("a", "j").Then("nowhere").On(Timer{After: time.Second, Target: "never"}).OnFailure("lost")
	f.End("a")
	_, err := f.Build()
	for _, want := range []string{`two steps "a"`, `"a" goes to "nowhere"`, `"a" goes to "never"`, `"a" goes to "lost"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
