// Steps by which the engine finds its way: decisions, transformations, waits, forks and joins.

package flow

import (
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// Decision chooses the next step; none true fails the instance.
type Decision struct{ step *millrace.Step }

// Decision adds one.
func (f *Flow) Decision(id string) Decision { return Decision{f.add(id, millrace.StepTypeDecision)} }

// Name is what people read; the id by default.
func (s Decision) Name(name string) Decision { s.step.Name = name; return s }

// When goes to a step if the expression is true; in the order of the calls, the first that is true wins.
func (s Decision) When(expression, id string) Decision {
	addCondition(s.step, expression, id)
	return s
}

// Otherwise goes to a step if no expression before it is true.
func (s Decision) Otherwise(id string) Decision { return s.When("true", id) }

// Transformation sets variables.
type Transformation struct{ step *millrace.Step }

// Transformation adds one.
func (f *Flow) Transformation(id string) Transformation {
	return Transformation{f.add(id, millrace.StepTypeTransformation)}
}

// Name is what people read; the id by default.
func (s Transformation) Name(name string) Transformation { s.step.Name = name; return s }

// Set gives a variable a literal, or what "${an expression}" gives; in the order of the calls.
func (s Transformation) Set(variable string, value any) Transformation {
	s.step.Transformations = append(s.step.Transformations, millrace.SetVariable{Name: variable, Value: value})
	return s
}

// Then names the next step.
func (s Transformation) Then(id string) Transformation { s.step.NextStep = id; return s }

// Wait parks until a signal or a timer.
type Wait struct{ step *millrace.Step }

// Wait adds one.
func (f *Flow) Wait(id string) Wait { return Wait{f.add(id, millrace.StepTypeWait)} }

// Name is what people read; the id by default.
func (s Wait) Name(name string) Wait { s.step.Name = name; return s }

// Then names the next step.
func (s Wait) Then(id string) Wait { s.step.NextStep = id; return s }

// On adds a timer.
func (s Wait) On(timer Timer) Wait { addTimer(s.step, timer); return s }

// OnFailure goes to a step when this one fails for good, with the variable error {stepId, reason}.
func (s Wait) OnFailure(target string) Wait { addCatch(s.step, target); return s }

// KeepEarly keeps a signal that comes before the wait; without it such a signal is refused.
func (s Wait) KeepEarly() Wait { s.step.KeepEarly = true; return s }

// For completes the wait after this time, if no signal has ended it before.
func (s Wait) For(duration time.Duration) Wait {
	s.step.Duration = millrace.DurationOf(duration)
	return s
}

// Parallel starts every branch at once; they meet at the join, which goes on once.
type Parallel struct{ step *millrace.Step }

// Parallel adds a fork to at least two branches that meet at a join.
func (f *Flow) Parallel(id, join string, branches ...string) Parallel {
	step := f.add(id, millrace.StepTypeParallelGateway)
	step.JoinStep, step.ParallelNextSteps = join, branches
	return Parallel{step}
}

// Name is what people read; the id by default.
func (s Parallel) Name(name string) Parallel { s.step.Name = name; return s }

// Join goes on when every branch has arrived.
type Join struct{ step *millrace.Step }

// Join adds one.
func (f *Flow) Join(id string) Join { return Join{f.add(id, millrace.StepTypeJoinGateway)} }

// Name is what people read; the id by default.
func (s Join) Name(name string) Join { s.step.Name = name; return s }

// Then names the next step.
func (s Join) Then(id string) Join { s.step.NextStep = id; return s }
