package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

type echo struct{}

func (echo) Do(name string, with json.RawMessage) (any, error) {
	if name == "fails" {
		return nil, errors.New("no")
	}
	return with, nil
}

func (echo) Explain(err error) Refusal { return Refusal{Code: "client", Message: err.Error()} }

func TestCommandsAreAnswered(t *testing.T) {
	var out bytes.Buffer
	lines := "{\"id\":1,\"do\":\"echo\",\"with\":{\"a\":1}}\n\n{\"id\":\"x\",\"do\":\"fails\"}\n"
	err := Serve(strings.NewReader(lines), &out, echo{})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"id":1,"ok":{"a":1}}`, `{"error":{"code":"client","message":"no","retryable":false},"id":"x"}`,
	} {
		if !strings.Contains(out.String(), line+"\n") {
			t.Errorf("%s is missing in %s", line, out.String())
		}
	}
	if err := Serve(strings.NewReader("nonsense\n"), &out, echo{}); !errors.Is(err, ErrNotJSON) {
		t.Error(err)
	}
}

func TestUnknownFieldsOfCommandsAreRefused(t *testing.T) {
	if _, err := Read[Facts](json.RawMessage(`{"jobID":"a","other":1}`)); err == nil {
		t.Error("it was taken")
	}
}

func TestScripts(t *testing.T) {
	bench := NewBench()
	facts := Facts{JobID: "j", JobType: "a", Attempt: 2}
	script := Script{
		FailsFirst: 1, Sets: map[string]any{"x": 1}, Copies: map[string]string{"y": "seen", "z": "absent"},
		CopiesFacts: map[string]string{"id": "id", "attempt": "attempt"},
	}
	variables, failure := bench.Run(t.Context(), script, facts, map[string]any{"seen": "v"})
	want := map[string]any{"x": 1, "y": "v", "id": "j", "attempt": 2}
	if failure != nil || !reflect.DeepEqual(variables, want) {
		t.Error(variables, failure)
	}
	facts.Attempt = 1
	_, failure = bench.Run(t.Context(), script, facts, nil)
	if failure == nil || !failure.Retryable || failure.Message != "failed as told" {
		t.Error(failure)
	}
	_, failure = bench.Run(t.Context(), Script{Fails: "for-good", Message: "m"}, facts, nil)
	if failure == nil || failure.Retryable || failure.Message != "m" {
		t.Error(failure)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	bench.Run(cancelled, Script{WaitsFor: "never"}, facts, nil)
	bench.Release("go")
	bench.Run(t.Context(), Script{WaitsFor: "go"}, facts, nil)
	var states []string
	for _, delivery := range bench.Handled() {
		states = append(states, delivery.State)
	}
	if got := strings.Join(states, " "); got != "returned threw threw cancelled returned" {
		t.Error(got)
	}
}
