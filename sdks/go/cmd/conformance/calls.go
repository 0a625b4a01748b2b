// The commands that are calls of the client.

package main

import (
	"context"
	"encoding/json"

	"github.com/millrace/millrace/sdks/go/cmd/conformance/control"
	"github.com/millrace/millrace/sdks/go/millrace"
)

type call func(ctx context.Context, client *millrace.Client, with json.RawMessage) (any, error)

// reading makes a command of a function that takes what the command comes with.
func reading[T any](do func(ctx context.Context, client *millrace.Client, with T) (any, error)) call {
	return func(ctx context.Context, client *millrace.Client, with json.RawMessage) (any, error) {
		given, err := control.Read[T](with)
		if err != nil {
			return nil, err
		}
		return do(ctx, client, given)
	}
}

type items struct {
	Items any `json:"items"`
}

type stepOf struct {
	InstanceID  string             `json:"instanceId"`
	StepID      string             `json:"stepId"`
	CompletedBy string             `json:"completedBy"`
	Variables   millrace.Variables `json:"variables"`
}

func (s stepOf) ref() millrace.StepRef {
	return millrace.StepRef{InstanceID: s.InstanceID, StepID: s.StepID}
}

type start struct {
	millrace.StartInstance
	IdempotencyKey string `json:"idempotencyKey"`
}

func (s start) options() []millrace.CallOption {
	if s.IdempotencyKey == "" {
		return nil
	}
	return []millrace.CallOption{millrace.IdempotencyKey(s.IdempotencyKey)}
}

type heartbeat struct {
	JobID string `json:"jobId"`
	millrace.HeartbeatJob
}

type named struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Reason  string `json:"reason"`
}

var calls = map[string]call{
	"uploadDefinition": func(ctx context.Context, c *millrace.Client, with json.RawMessage) (any, error) {
		given, err := control.Read[struct {
			Definition json.RawMessage `json:"definition"`
		}](with)
		if err != nil {
			return nil, err
		}
		definition, err := millrace.ParseDefinition(given.Definition)
		if err != nil {
			return nil, err
		}
		return c.UploadDefinition(ctx, definition)
	},
	"getDefinition": reading(func(ctx context.Context, c *millrace.Client, with named) (any, error) {
		return c.GetDefinition(ctx, with.ID, with.Version)
	}),
	"listDefinitions": reading(
		func(ctx context.Context, c *millrace.Client, with millrace.ListDefinitionsQuery) (any, error) {
			return c.ListDefinitions(ctx, with)
		},
	),
	"startInstance": reading(func(ctx context.Context, c *millrace.Client, with start) (any, error) {
		return c.StartInstance(ctx, with.StartInstance, with.options()...)
	}),
	"getInstance": reading(func(ctx context.Context, c *millrace.Client, with named) (any, error) {
		return c.GetInstance(ctx, with.ID)
	}),
	"listInstances": reading(func(ctx context.Context, c *millrace.Client, with millrace.ListInstancesQuery) (any, error) {
		return c.ListInstances(ctx, with)
	}),
	"getHistory": reading(func(ctx context.Context, c *millrace.Client, with named) (any, error) {
		history, err := c.GetHistory(ctx, with.ID)
		return items{history}, err
	}),
	"getSteps": reading(func(ctx context.Context, c *millrace.Client, with named) (any, error) {
		return c.GetSteps(ctx, with.ID)
	}),
	"searchInstances": reading(
		func(ctx context.Context, c *millrace.Client, with millrace.SearchInstancesQuery) (any, error) {
			found, err := c.SearchInstances(ctx, with)
			return items{found}, err
		},
	),
	"cancelInstance": reading(func(ctx context.Context, c *millrace.Client, with named) (any, error) {
		return c.CancelInstance(ctx, with.ID, with.Reason)
	}),
	"completeUserTask": reading(func(ctx context.Context, c *millrace.Client, with stepOf) (any, error) {
		request := millrace.CompleteUserTask{CompletedBy: with.CompletedBy, Variables: with.Variables}
		return nil, c.CompleteUserTask(ctx, with.ref(), request)
	}),
	"signal": reading(func(ctx context.Context, c *millrace.Client, with stepOf) (any, error) {
		return nil, c.Signal(ctx, with.ref(), with.Variables)
	}),
	"retryStep": reading(func(ctx context.Context, c *millrace.Client, with stepOf) (any, error) {
		return c.RetryStep(ctx, with.ref(), with.Variables)
	}),
	"poll": reading(func(ctx context.Context, c *millrace.Client, with millrace.PollRequest) (any, error) {
		jobs, err := c.Poll(ctx, with)
		return struct {
			Jobs []millrace.Job `json:"jobs"`
		}{jobs}, err
	}),
	"complete": reading(func(ctx context.Context, c *millrace.Client, with millrace.CompleteJob) (any, error) {
		return nil, c.Complete(ctx, with)
	}),
	"fail": reading(func(ctx context.Context, c *millrace.Client, with millrace.FailJob) (any, error) {
		return nil, c.Fail(ctx, with)
	}),
	"heartbeat": reading(func(ctx context.Context, c *millrace.Client, with heartbeat) (any, error) {
		with.HeartbeatJob.JobID = with.JobID
		return c.Heartbeat(ctx, with.HeartbeatJob)
	}),
	"exchange": reading(func(ctx context.Context, c *millrace.Client, with millrace.ExchangeRequest) (any, error) {
		return c.Exchange(ctx, with)
	}),
	"enqueue": reading(func(ctx context.Context, c *millrace.Client, with millrace.EnqueueJob) (any, error) {
		return c.Enqueue(ctx, with)
	}),
}
