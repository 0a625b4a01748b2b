// What can go wrong: the engine refuses, or the old contract cannot say a command.

package main

import (
	"encoding/json"
	"fmt"
	"slices"
)

// object is JSON as the control protocol has it.
type object = map[string]any

// refused is the engine's refusal, or no answer at all.
type refused struct {
	code      string
	message   string
	retryable bool
}

func (e *refused) Error() string { return e.message }

func notSayable(what string) error { return fmt.Errorf("not in the legacy contract: %s", what) }

// only refuses a field that the old contract does not have.
func only[V any](given map[string]V, known ...string) error {
	for name := range given {
		if !slices.Contains(known, name) {
			return notSayable(name)
		}
	}
	return nil
}

// sayable is what each call may come with.
var sayable = map[string][]string{
	"uploadDefinition": {"definition"},
	"getDefinition":    {"id", "version"},
	"listDefinitions":  {"keyword", "page", "pageSize"},
	"startInstance":    {"definitionId", "definitionVersion", "variables", "businessKey"},
	"getInstance":      {"id"},
	"listInstances":    {"definitionId", "status", "businessKey", "page", "pageSize"},
	"getHistory":       {"id"},
	"cancelInstance":   {"id", "reason"},
	"completeUserTask": {"instanceId", "stepId", "completedBy", "variables"},
	"signal":           {"instanceId", "stepId", "variables"},
	"poll":             {"workerId", "jobTypes", "maxJobs", "leaseSeconds"},
	"complete":         {"jobId", "workerId", "variables"},
	"fail":             {"jobId", "workerId", "retryable", "errorMessage"},
	"discover":         {},
}

var (
	definitionFields = []string{
		"id", "version", "uploadedAt", "name", "description", "steps", "autoStartNextWorkflow", "nextWorkflowId", "metadata",
	}
	stepFields = []string{
		"id", "name", "type", "description", "nextStep", "parallelNextSteps", "joinStep", "conditionalNextSteps",
		"transformations", "jobType", "delegateClass", "retryCount", "boundaryEvents",
	}
)

// checkCall refuses a call, or a field of one, that the old contract does not have.
func checkCall(name string, with json.RawMessage) (map[string]json.RawMessage, error) {
	known, ok := sayable[name]
	if !ok {
		return nil, notSayable(name)
	}
	given := map[string]json.RawMessage{}
	if len(with) > 0 {
		if err := json.Unmarshal(with, &given); err != nil {
			return nil, err
		}
	}
	if err := only(given, known...); err != nil {
		return nil, err
	}
	if name == "uploadDefinition" {
		return given, checkDefinition(given["definition"])
	}
	return given, nil
}

func checkDefinition(text json.RawMessage) error {
	definition := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &definition); err != nil {
		return err
	}
	if err := only(definition, definitionFields...); err != nil {
		return err
	}
	var steps []map[string]json.RawMessage
	if err := json.Unmarshal(definition["steps"], &steps); err != nil {
		return err
	}
	for _, step := range steps {
		if err := only(step, stepFields...); err != nil {
			return err
		}
	}
	return nil
}
