// Raw REST: net/http and JSON.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

type restEngine struct {
	base   string
	client *http.Client
}

func openREST(base string) *restEngine {
	return &restEngine{base: strings.TrimRight(base, "/"), client: &http.Client{}}
}

func (e *restEngine) close() { e.client.CloseIdleConnections() }

type fields = map[string]json.RawMessage

// text is a field that is a string, or a number as it is written.
func text(given fields, name string) string {
	var value string
	if json.Unmarshal(given[name], &value) == nil {
		return value
	}
	return string(given[name])
}

func (e *restEngine) call(name string, given fields) (json.RawMessage, error) {
	at := func(format string, names ...string) string {
		parts := make([]any, len(names))
		for i, one := range names {
			parts[i] = url.PathEscape(text(given, one))
		}
		return fmt.Sprintf(format, parts...)
	}
	switch name {
	case "uploadDefinition":
		return e.send("POST", "/v1/definitions", given["definition"])
	case "getDefinition":
		if version := text(given, "version"); version != "" && version != "0" {
			return e.send("GET", at("/v1/definitions/%s/versions/%s", "id", "version"), nil)
		}
		return e.send("GET", at("/v1/definitions/%s", "id"), nil)
	case "listDefinitions":
		return e.send("GET", "/v1/definitions?"+query(given), nil)
	case "startInstance":
		return e.send("POST", "/v1/instances", given)
	case "getInstance":
		return e.send("GET", at("/v1/instances/%s", "id"), nil)
	case "listInstances":
		return e.send("GET", "/v1/instances?"+query(given), nil)
	case "getHistory":
		return e.send("GET", at("/v1/instances/%s/history", "id"), nil)
	case "cancelInstance":
		return e.send("POST", at("/v1/instances/%s/cancel", "id"), without(given, "id"))
	case "completeUserTask":
		body := without(given, "instanceId", "stepId")
		return e.send("POST", at("/v1/instances/%s/user-tasks/%s/complete", "instanceId", "stepId"), body)
	case "signal":
		return e.send("POST", at("/v1/instances/%s/signals/%s", "instanceId", "stepId"), orEmpty(given["variables"]))
	case "poll":
		return e.send("POST", "/v1/jobs/poll", given)
	case "complete":
		return e.send("POST", at("/v1/jobs/%s/complete", "jobId"), without(given, "jobId"))
	case "fail":
		return e.send("POST", at("/v1/jobs/%s/fail", "jobId"), without(given, "jobId"))
	}
	return nil, notSayable(name)
}

func query(given fields) string {
	values := url.Values{"pageSize": {"100"}}
	for name := range given {
		values.Set(name, text(given, name))
	}
	return values.Encode()
}

func without(given fields, names ...string) fields {
	rest := fields{}
	for name, value := range given {
		rest[name] = value
	}
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

func orEmpty(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("{}")
	}
	return value
}

func (e *restEngine) send(method, path string, body any) (json.RawMessage, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequest(method, e.base+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := e.client.Do(request)
	if err != nil {
		return nil, &refused{code: "unavailable", message: err.Error(), retryable: true}
	}
	defer func() { _ = answer.Body.Close() }()
	return read(answer)
}

func read(answer *http.Response) (json.RawMessage, error) {
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, &refused{code: "unavailable", message: err.Error(), retryable: true}
	}
	if answer.StatusCode < 300 {
		return content, nil
	}
	var envelope struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(content, &envelope)
	passes := answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable
	return nil, &refused{code: envelope.Error, message: envelope.Message, retryable: passes}
}
