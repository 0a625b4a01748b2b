// Messages of the old stubs as the JSON of the control protocol, and back.

package main

import (
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/millrace/millrace/conformance/legacy/go/stubs"
)

// The fields that REST always has and that protobuf leaves out when they are empty.
var (
	instanceShape   = object{"currentStepIds": []any{}, "variables": object{}}
	jobShape        = object{"instanceId": "", "stepId": "", "stepExecutionId": "", "retriesRemaining": 0, "variables": object{}}
	definitionShape = object{}
)

// readInto reads fields by their JSON names. Null is what protobuf cannot tell from absent.
func readInto(message proto.Message, given fields) error {
	given = without(given)
	if status, ok := given["status"]; ok {
		given["status"] = prefixed("INSTANCE_STATUS_", status)
	}
	content, err := json.Marshal(given)
	if err != nil {
		return err
	}
	before := proto.Clone(message)
	if err := protojson.Unmarshal(content, message); err != nil {
		return err
	}
	if request, ok := message.(interface{ GetPageSize() int32 }); ok && request.GetPageSize() == 0 {
		proto.Merge(message, before)
	}
	return nil
}

func prefixed(prefix string, word json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.Replace(string(word), `"`, `"`+prefix, 1))
}

func renamed(given fields, pairs ...string) fields {
	turned := without(given)
	for i := 0; i < len(pairs); i += 2 {
		if value, ok := turned[pairs[i]]; ok {
			delete(turned, pairs[i])
			turned[pairs[i+1]] = value
		}
	}
	return turned
}

// definitionMessage has the maps of conditions and transformations alone, which Go encodes in any order.
func definitionMessage(content json.RawMessage) (*stubs.WorkflowDefinition, error) {
	definition := fields{}
	if err := json.Unmarshal(content, &definition); err != nil {
		return nil, err
	}
	delete(definition, "uploadedAt")
	var steps []fields
	if err := json.Unmarshal(definition["steps"], &steps); err != nil {
		return nil, err
	}
	for _, step := range steps {
		step["type"] = prefixed("STEP_TYPE_", step["type"])
		if events, ok := step["boundaryEvents"]; ok {
			step["boundaryEvents"] = json.RawMessage(strings.ReplaceAll(string(events), `"TIMER"`, `"BOUNDARY_EVENT_TYPE_TIMER"`))
		}
	}
	definition["steps"], _ = json.Marshal(steps)
	whole, err := json.Marshal(definition)
	if err != nil {
		return nil, err
	}
	message := &stubs.WorkflowDefinition{}
	return message, protojson.Unmarshal(whole, message)
}

func written(message proto.Message, err error, shape object) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	turned, err := plain(message, shape)
	if err != nil {
		return nil, err
	}
	return json.Marshal(turned)
}

func writtenList[M proto.Message](
	name string, messages []M, more object, err error, shape object,
) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	list := make([]object, len(messages))
	for i, message := range messages {
		if list[i], err = plain(message, shape); err != nil {
			return nil, err
		}
	}
	more[name] = list
	return json.Marshal(more)
}

// plain is a message as REST writes it.
func plain(message proto.Message, shape object) (object, error) {
	content, err := protojson.Marshal(message)
	if err != nil {
		return nil, err
	}
	turned := object{}
	for name, value := range shape {
		turned[name] = value
	}
	if err := json.Unmarshal(content, &turned); err != nil {
		return nil, err
	}
	dropPrefixes(turned)
	return turned, nil
}

var prefixes = []string{"INSTANCE_STATUS_", "STEP_EXECUTION_STATUS_", "STEP_TYPE_", "BOUNDARY_EVENT_TYPE_"}

// dropPrefixes turns the enums of a message and of the messages in it, and leaves variables as they are.
func dropPrefixes(value object) {
	for _, name := range []string{"status", "type", "stepType"} {
		if word, ok := value[name].(string); ok {
			for _, prefix := range prefixes {
				word = strings.TrimPrefix(word, prefix)
			}
			value[name] = word
		}
	}
	for _, name := range []string{"steps", "boundaryEvents"} {
		list, _ := value[name].([]any)
		for _, item := range list {
			if inner, ok := item.(object); ok {
				dropPrefixes(inner)
			}
		}
	}
}
