// Definitions as messages of the wire, and back. Both ways keep every field, and the order of conditions.

package grpctransport

import (
	"encoding/json"
	"errors"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

func definitionMessage(definition millrace.Definition) (*workflowv1.WorkflowDefinition, error) {
	metadata, metadataErr := structOf(definition.Metadata)
	schema, schemaErr := structOf(definition.InputSchema)
	message := &workflowv1.WorkflowDefinition{
		Id:                    definition.ID,
		Name:                  definition.Name,
		Description:           definition.Description,
		AutoStartNextWorkflow: definition.AutoStartNextWorkflow,
		NextWorkflowId:        definition.NextWorkflowID,
		Metadata:              metadata,
		InputSchema:           schema,
		Priority:              string(definition.Priority),
		Execution:             definition.Execution,
		Recover:               definition.Recover,
		Deadline:              string(definition.Deadline),
		Retain:                string(definition.Retain),
		Events:                definition.Events,
	}
	err := errors.Join(metadataErr, schemaErr)
	for _, step := range definition.Steps {
		stepMessage, stepErr := stepMessage(step)
		message.Steps = append(message.Steps, stepMessage)
		err = errors.Join(err, stepErr)
	}
	return message, err
}

func stepMessage(step millrace.Step) (*workflowv1.WorkflowStep, error) {
	form, formErr := structOf(step.Form)
	output, outputErr := structOf(step.OutputSchema)
	transformations, transformErr := transformationMessages(step.Transformations)
	message := &workflowv1.WorkflowStep{
		Id:                          step.ID,
		Name:                        step.Name,
		Type:                        workflowv1.StepType(number(workflowv1.StepType_value, "STEP_TYPE_", step.Type)),
		Description:                 step.Description,
		NextStep:                    step.NextStep,
		ParallelNextSteps:           step.ParallelNextSteps,
		JoinStep:                    step.JoinStep,
		JobType:                     step.JobType,
		DelegateClass:               step.DelegateClass,
		RetryCount:                  int32(step.RetryCount),
		BoundaryEvents:              each(step.BoundaryEvents, boundaryMessage),
		OrderedConditionalNextSteps: each(step.ConditionalNextSteps, conditionMessage),
		OrderedTransformations:      transformations,
		Retry:                       retryMessage(step.Retry),
		Timeout:                     timeoutsMessage(step.Timeout),
		OnError:                     string(step.OnError),
		Priority:                    string(step.Priority),
		Downstream:                  step.Downstream,
		Assignee:                    step.Assignee,
		AssigneeGroup:               step.AssigneeGroup,
		DueIn:                       string(step.DueIn),
		KeepEarly:                   step.KeepEarly,
		Duration:                    string(step.Duration),
		Form:                        form,
		OutputSchema:                output,
	}
	return message, errors.Join(formErr, outputErr, transformErr)
}

func boundaryMessage(event millrace.BoundaryEvent) *workflowv1.BoundaryEvent {
	kind := number(workflowv1.BoundaryEventType_value, "BOUNDARY_EVENT_TYPE_", event.Type)
	return &workflowv1.BoundaryEvent{
		Type:         workflowv1.BoundaryEventType(kind),
		Duration:     string(event.Duration),
		Interrupting: event.Interrupting,
		TargetStepId: event.TargetStepID,
	}
}

func conditionMessage(condition millrace.Condition) *workflowv1.ConditionalNextStep {
	return &workflowv1.ConditionalNextStep{Condition: condition.Expression, NextStep: condition.NextStep}
}

func transformationMessages(list millrace.Transformations) ([]*workflowv1.NamedTransformation, error) {
	messages := make([]*workflowv1.NamedTransformation, len(list))
	var errs error
	for i, one := range list {
		value := &structpb.Value{}
		text, err := json.Marshal(one.Value)
		if err == nil {
			err = value.UnmarshalJSON(text)
		}
		errs = errors.Join(errs, err)
		messages[i] = &workflowv1.NamedTransformation{Name: one.Name, Value: value}
	}
	return messages, errs
}

func retryMessage(policy *millrace.RetryPolicy) *workflowv1.RetryPolicy {
	if policy == nil {
		return nil
	}
	return &workflowv1.RetryPolicy{
		Retries: int32(policy.Retries), Base: string(policy.Base), Factor: policy.Factor,
		Cap: string(policy.Cap), Jitter: policy.Jitter,
	}
}

func timeoutsMessage(timeouts *millrace.StepTimeouts) *workflowv1.StepTimeouts {
	if timeouts == nil {
		return nil
	}
	return &workflowv1.StepTimeouts{
		Run: string(timeouts.Run), Queue: string(timeouts.Queue), Total: string(timeouts.Total),
	}
}

func definitionOf(message *workflowv1.WorkflowDefinition) (millrace.Definition, error) {
	schema, err := schemaOf(message.GetInputSchema())
	definition := millrace.Definition{
		ID:                    message.GetId(),
		Version:               int(message.GetVersion()),
		UploadedAt:            timeOf(message.GetUploadedAt()),
		Name:                  message.GetName(),
		Description:           message.GetDescription(),
		AutoStartNextWorkflow: message.GetAutoStartNextWorkflow(),
		NextWorkflowID:        message.GetNextWorkflowId(),
		Metadata:              mapOf(message.GetMetadata()),
		InputSchema:           schema,
		Priority:              millrace.Priority(message.GetPriority()),
		Execution:             message.GetExecution(),
		Recover:               message.GetRecover(),
		Deadline:              millrace.Duration(message.GetDeadline()),
		Retain:                millrace.Duration(message.GetRetain()),
		Events:                message.GetEvents(),
	}
	for _, stepMessage := range message.GetSteps() {
		step, stepErr := stepOf(stepMessage)
		definition.Steps = append(definition.Steps, step)
		err = errors.Join(err, stepErr)
	}
	return definition, err
}

func summaryOf(message *workflowv1.WorkflowDefinition) millrace.DefinitionSummary {
	return millrace.DefinitionSummary{
		ID: message.GetId(), Version: int(message.GetVersion()), Name: message.GetName(),
		Description: message.GetDescription(), UploadedAt: timeOf(message.GetUploadedAt()),
	}
}

func stepOf(message *workflowv1.WorkflowStep) (millrace.Step, error) {
	form, formErr := schemaOf(message.GetForm())
	output, outputErr := schemaOf(message.GetOutputSchema())
	step := millrace.Step{
		ID:                   message.GetId(),
		Name:                 message.GetName(),
		Type:                 millrace.StepType(word(message.GetType(), "STEP_TYPE_")),
		Description:          message.GetDescription(),
		NextStep:             message.GetNextStep(),
		ParallelNextSteps:    message.GetParallelNextSteps(),
		JoinStep:             message.GetJoinStep(),
		ConditionalNextSteps: conditionsOf(message),
		Transformations:      transformationsOf(message),
		JobType:              message.GetJobType(),
		DelegateClass:        message.GetDelegateClass(),
		RetryCount:           int(message.GetRetryCount()),
		Retry:                retryOf(message.GetRetry()),
		Timeout:              timeoutsOf(message.GetTimeout()),
		OnError:              millrace.OnError(message.GetOnError()),
		Priority:             millrace.Priority(message.GetPriority()),
		Downstream:           message.GetDownstream(),
		Assignee:             message.GetAssignee(),
		AssigneeGroup:        message.GetAssigneeGroup(),
		DueIn:                millrace.Duration(message.GetDueIn()),
		KeepEarly:            message.GetKeepEarly(),
		Duration:             millrace.Duration(message.GetDuration()),
		Form:                 form,
		OutputSchema:         output,
	}
	for _, event := range message.GetBoundaryEvents() {
		step.BoundaryEvents = append(step.BoundaryEvents, boundaryOf(event))
	}
	return step, errors.Join(formErr, outputErr)
}

func boundaryOf(message *workflowv1.BoundaryEvent) millrace.BoundaryEvent {
	return millrace.BoundaryEvent{
		Type:         word(message.GetType(), "BOUNDARY_EVENT_TYPE_"),
		Duration:     millrace.Duration(message.GetDuration()),
		Interrupting: message.GetInterrupting(),
		TargetStepID: message.GetTargetStepId(),
	}
}

func conditionsOf(message *workflowv1.WorkflowStep) millrace.Conditions {
	var conditions millrace.Conditions
	for _, one := range message.GetOrderedConditionalNextSteps() {
		conditions = append(conditions, millrace.Condition{Expression: one.GetCondition(), NextStep: one.GetNextStep()})
	}
	return conditions
}

func transformationsOf(message *workflowv1.WorkflowStep) millrace.Transformations {
	var list millrace.Transformations
	for _, one := range message.GetOrderedTransformations() {
		list = append(list, millrace.SetVariable{Name: one.GetName(), Value: one.GetValue().AsInterface()})
	}
	return list
}

func retryOf(message *workflowv1.RetryPolicy) *millrace.RetryPolicy {
	if message == nil {
		return nil
	}
	return &millrace.RetryPolicy{
		Retries: int(message.GetRetries()), Base: millrace.Duration(message.GetBase()), Factor: message.GetFactor(),
		Cap: millrace.Duration(message.GetCap()), Jitter: message.GetJitter(),
	}
}

func timeoutsOf(message *workflowv1.StepTimeouts) *millrace.StepTimeouts {
	if message == nil {
		return nil
	}
	return &millrace.StepTimeouts{
		Run: millrace.Duration(message.GetRun()), Queue: millrace.Duration(message.GetQueue()),
		Total: millrace.Duration(message.GetTotal()),
	}
}

func schemaOf(message *structpb.Struct) (*millrace.VariableSchema, error) {
	if message == nil {
		return nil, nil
	}
	text, err := message.MarshalJSON()
	if err != nil {
		return nil, err
	}
	schema := &millrace.VariableSchema{}
	return schema, json.Unmarshal(text, schema)
}
