// Package flow writes definitions as code: a small typed builder whose steps have only what their type may have.
//
//	order := flow.New("order", "Order")
//	order.ServiceTask("charge", "charge-card").Retries(3).Then("ask")
//	order.UserTask("ask").AssigneeGroup("ops").Then("done")
//	order.End("done")
//	definition, err := order.Build()
package flow

import (
	"errors"
	"fmt"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// Flow is a definition in the making. The first step is the entry.
type Flow struct {
	definition millrace.Definition
	steps      []*millrace.Step
}

// New names a definition.
func New(id, name string) *Flow {
	return &Flow{definition: millrace.Definition{ID: id, Name: name}}
}

// Description says what it is for.
func (f *Flow) Description(text string) *Flow {
	f.definition.Description = text
	return f
}

// Input is what an instance must be started with.
func (f *Flow) Input(schema millrace.VariableSchema) *Flow {
	f.definition.InputSchema = &schema
	return f
}

// Priority of its jobs.
func (f *Flow) Priority(priority millrace.Priority) *Flow {
	f.definition.Priority = priority
	return f
}

// Deadline is how long an instance may take.
func (f *Flow) Deadline(after time.Duration) *Flow {
	f.definition.Deadline = millrace.DurationOf(after)
	return f
}

// Chain starts another definition when an instance has completed.
func (f *Flow) Chain(definitionID string) *Flow {
	f.definition.AutoStartNextWorkflow, f.definition.NextWorkflowID = true, definitionID
	return f
}

// Metadata is kept and not read.
func (f *Flow) Metadata(metadata map[string]any) *Flow {
	f.definition.Metadata = metadata
	return f
}

func (f *Flow) add(id string, kind millrace.StepType) *millrace.Step {
	step := &millrace.Step{ID: id, Name: id, Type: kind}
	f.steps = append(f.steps, step)
	return step
}

// End completes the instance.
func (f *Flow) End(id string) { f.add(id, millrace.StepTypeEnd) }

// Build refuses two steps of one id, and a target that is no step. The engine checks the rest.
func (f *Flow) Build() (millrace.Definition, error) {
	definition := f.definition
	known := map[string]bool{}
	var errs error
	for _, step := range f.steps {
		if known[step.ID] {
			errs = errors.Join(errs, fmt.Errorf("there are two steps %q", step.ID))
		}
		known[step.ID] = true
		definition.Steps = append(definition.Steps, *step)
	}
	for _, step := range f.steps {
		for _, target := range targetsOf(step) {
			if !known[target] {
				errs = errors.Join(errs, fmt.Errorf("step %q goes to %q, which is no step", step.ID, target))
			}
		}
	}
	return definition, errs
}

func targetsOf(step *millrace.Step) []string {
	targets := append([]string{}, step.ParallelNextSteps...)
	for _, target := range []string{step.NextStep, step.JoinStep} {
		if target != "" {
			targets = append(targets, target)
		}
	}
	for _, condition := range step.ConditionalNextSteps {
		targets = append(targets, condition.NextStep)
	}
	for _, event := range step.BoundaryEvents {
		targets = append(targets, event.TargetStepID)
	}
	return targets
}

// Timer goes off on a step that takes long.
type Timer struct {
	After time.Duration
	// Target is the step that is entered.
	Target string
	// Interrupting ends the step; otherwise the target runs beside it.
	Interrupting bool
}

func addTimer(step *millrace.Step, timer Timer) {
	step.BoundaryEvents = append(step.BoundaryEvents, millrace.BoundaryEvent{
		Type: "TIMER", Duration: millrace.DurationOf(timer.After), Interrupting: timer.Interrupting,
		TargetStepID: timer.Target,
	})
}

// addCatch names the step that is entered when this one fails for good.
func addCatch(step *millrace.Step, target string) {
	step.BoundaryEvents = append(step.BoundaryEvents, millrace.BoundaryEvent{
		Type: "ERROR", Interrupting: true, TargetStepID: target,
	})
}

func addCondition(step *millrace.Step, expression, target string) {
	step.ConditionalNextSteps = append(
		step.ConditionalNextSteps,
		millrace.Condition{Expression: expression, NextStep: target},
	)
}
