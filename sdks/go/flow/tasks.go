// Steps that are work: for a worker, and for a person.

package flow

import (
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// ServiceTask is work for the workers of a job type.
type ServiceTask struct{ step *millrace.Step }

// ServiceTask adds one. Without Then its path ends here.
func (f *Flow) ServiceTask(id, jobType string) ServiceTask {
	step := f.add(id, millrace.StepTypeServiceTask)
	step.JobType = jobType
	return ServiceTask{step}
}

// Name is what people read; the id by default.
func (s ServiceTask) Name(name string) ServiceTask { s.step.Name = name; return s }

// Then names the next step.
func (s ServiceTask) Then(id string) ServiceTask { s.step.NextStep = id; return s }

// When goes to a step if the expression is true; in the order of the calls, the first that is true wins.
func (s ServiceTask) When(expression, id string) ServiceTask {
	addCondition(s.step, expression, id)
	return s
}

// Retries is how often it is tried again, with the usual pauses.
func (s ServiceTask) Retries(count int) ServiceTask { s.step.RetryCount = count; return s }

// Retry is a policy of its own, instead of Retries.
func (s ServiceTask) Retry(policy millrace.RetryPolicy) ServiceTask { s.step.Retry = &policy; return s }

// Timeout bounds one attempt.
func (s ServiceTask) Timeout(run time.Duration) ServiceTask {
	s.step.Timeout = &millrace.StepTimeouts{Run: millrace.DurationOf(run)}
	return s
}

// Timeouts bounds the run, the wait for a worker and the step in total.
func (s ServiceTask) Timeouts(timeouts millrace.StepTimeouts) ServiceTask {
	s.step.Timeout = &timeouts
	return s
}

// ContinueOnError goes on when it has failed for good.
func (s ServiceTask) ContinueOnError() ServiceTask {
	s.step.OnError = millrace.OnErrorContinue
	return s
}

// Priority of its job.
func (s ServiceTask) Priority(priority millrace.Priority) ServiceTask {
	s.step.Priority = priority
	return s
}

// Downstream is the system it calls, whose limits it keeps to.
func (s ServiceTask) Downstream(name string) ServiceTask { s.step.Downstream = name; return s }

// Output is what the handler must return.
func (s ServiceTask) Output(schema millrace.VariableSchema) ServiceTask {
	s.step.OutputSchema = &schema
	return s
}

// On adds a timer.
func (s ServiceTask) On(timer Timer) ServiceTask { addTimer(s.step, timer); return s }

// OnFailure goes to a step when this one fails for good, with the variable error {stepId, reason}.
func (s ServiceTask) OnFailure(target string) ServiceTask { addCatch(s.step, target); return s }

// UserTask is work for a person, listed in the inbox.
type UserTask struct{ step *millrace.Step }

// UserTask adds one. Without Then its path ends here.
func (f *Flow) UserTask(id string) UserTask { return UserTask{f.add(id, millrace.StepTypeUserTask)} }

// Name is what people read; the id by default.
func (s UserTask) Name(name string) UserTask { s.step.Name = name; return s }

// Then names the next step.
func (s UserTask) Then(id string) UserTask { s.step.NextStep = id; return s }

// When goes to a step if the expression is true; in the order of the calls, the first that is true wins.
func (s UserTask) When(expression, id string) UserTask {
	addCondition(s.step, expression, id)
	return s
}

// Assignee is the person it is for.
func (s UserTask) Assignee(person string) UserTask { s.step.Assignee = person; return s }

// AssigneeGroup is the group it is for.
func (s UserTask) AssigneeGroup(group string) UserTask { s.step.AssigneeGroup = group; return s }

// DueIn is shown in the inbox.
func (s UserTask) DueIn(after time.Duration) UserTask {
	s.step.DueIn = millrace.DurationOf(after)
	return s
}

// Form is what the person fills in.
func (s UserTask) Form(schema millrace.VariableSchema) UserTask { s.step.Form = &schema; return s }

// On adds a timer.
func (s UserTask) On(timer Timer) UserTask { addTimer(s.step, timer); return s }

// OnFailure goes to a step when this one fails for good, with the variable error {stepId, reason}.
func (s UserTask) OnFailure(target string) UserTask { addCatch(s.step, target); return s }
