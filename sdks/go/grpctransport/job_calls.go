// The calls of a worker, over gRPC.

package grpctransport

import (
	"context"
	"errors"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

func (t *transport) Poll(ctx context.Context, call millrace.Call, poll millrace.PollRequest) ([]millrace.Job, error) {
	request := &workflowv1.PollJobsRequest{
		WorkerId: poll.WorkerID, JobTypes: poll.JobTypes, MaxJobs: int32(poll.MaxJobs),
		LeaseSeconds: int32(poll.LeaseSeconds), WaitSeconds: int32(poll.WaitSeconds),
	}
	answer, err := unary(ctx, t, call, t.engine.PollJobs, request)
	return jobsOf(answer.GetJobs()), err
}

func (t *transport) Complete(ctx context.Context, call millrace.Call, done millrace.CompleteJob) error {
	variables, err := structOf(done.Variables)
	if err != nil {
		return err
	}
	request := &workflowv1.CompleteJobRequest{
		JobId: done.JobID, WorkerId: done.WorkerID, VariablesToSet: variables, LeaseToken: done.LeaseToken,
	}
	_, err = unary(ctx, t, call, t.engine.CompleteJob, request)
	return err
}

func (t *transport) Fail(ctx context.Context, call millrace.Call, failure millrace.FailJob) error {
	request := &workflowv1.FailJobRequest{
		JobId: failure.JobID, WorkerId: failure.WorkerID, Retryable: failure.Retryable,
		ErrorMessage: failure.ErrorMessage, LeaseToken: failure.LeaseToken, RetryAfter: failure.RetryAfter,
		DownstreamStatus: int32(failure.DownstreamStatus), Stack: failure.Stack,
	}
	_, err := unary(ctx, t, call, t.engine.FailJob, request)
	return err
}

func (t *transport) Heartbeat(
	ctx context.Context, call millrace.Call, beat millrace.HeartbeatJob,
) (millrace.HeartbeatResult, error) {
	request := &workflowv1.HeartbeatRequest{
		JobId: beat.JobID, WorkerId: beat.WorkerID, LeaseToken: beat.LeaseToken, LeaseSeconds: int32(beat.LeaseSeconds),
		WithVariables: beat.WithVariables,
	}
	answer, err := unary(ctx, t, call, t.engine.Heartbeat, request)
	result := millrace.HeartbeatResult{LockExpiresAt: timeOf(answer.GetLockExpiresAt())}
	if variables := answer.GetVariables(); variables != nil {
		result.Variables = variablesOf(variables)
	}
	return result, err
}

func (t *transport) Exchange(
	ctx context.Context, call millrace.Call, exchange millrace.ExchangeRequest,
) (millrace.ExchangeResult, error) {
	completed, err := completedMessages(exchange.Completed)
	if err != nil {
		return millrace.ExchangeResult{}, err
	}
	request := &workflowv1.ExchangeJobsRequest{
		WorkerId: exchange.WorkerID, Completed: completed, Failed: each(exchange.Failed, failedMessage),
		Poll: pollMessage(exchange.Poll),
	}
	answer, err := unary(ctx, t, call, t.engine.ExchangeJobs, request)
	return millrace.ExchangeResult{Results: each(answer.GetResults(), resultOf), Jobs: jobsOf(answer.GetJobs())}, err
}

func completedMessages(reports []millrace.CompletedReport) ([]*workflowv1.CompletedReport, error) {
	messages := make([]*workflowv1.CompletedReport, len(reports))
	var errs error
	for i, one := range reports {
		variables, err := structOf(one.Variables)
		errs = errors.Join(errs, err)
		messages[i] = &workflowv1.CompletedReport{JobId: one.JobID, LeaseToken: one.LeaseToken, Variables: variables}
	}
	return messages, errs
}

func failedMessage(one millrace.FailedReport) *workflowv1.FailedReport {
	return &workflowv1.FailedReport{
		JobId: one.JobID, LeaseToken: one.LeaseToken, Retryable: one.Retryable, ErrorMessage: one.ErrorMessage,
		RetryAfter: one.RetryAfter, DownstreamStatus: int32(one.DownstreamStatus), Stack: one.Stack,
	}
}

func pollMessage(poll *millrace.PollOptions) *workflowv1.PollOptions {
	if poll == nil {
		return nil
	}
	return &workflowv1.PollOptions{
		JobTypes: poll.JobTypes, MaxJobs: int32(poll.MaxJobs), LeaseSeconds: int32(poll.LeaseSeconds),
		WaitSeconds: int32(poll.WaitSeconds),
	}
}

func resultOf(message *workflowv1.ReportResult) millrace.ReportResult {
	outcomes := map[workflowv1.ReportOutcome]string{
		workflowv1.ReportOutcome_REPORT_OUTCOME_ACCEPTED: "accepted",
		workflowv1.ReportOutcome_REPORT_OUTCOME_STALE:    "stale",
		workflowv1.ReportOutcome_REPORT_OUTCOME_UNKNOWN:  "unknown",
	}
	return millrace.ReportResult{JobID: message.GetJobId(), Outcome: outcomes[message.GetOutcome()]}
}
