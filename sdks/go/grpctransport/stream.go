// The stream of jobs: credit and starts go up, jobs come down.

package grpctransport

import (
	"context"
	"sync"

	"google.golang.org/grpc"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

type jobStream struct {
	t      *transport
	stream grpc.BidiStreamingClient[workflowv1.StreamJobsRequest, workflowv1.StreamJobsResponse]
	// gRPC lets one goroutine send at a time.
	sending sync.Mutex
}

// StreamJobs opens a stream; it ends with the context.
func (t *transport) StreamJobs(ctx context.Context, open millrace.OpenStream) (millrace.JobStream, error) {
	stream, err := t.engine.StreamJobs(t.outgoing(ctx, millrace.Call{}))
	if err != nil {
		return nil, errorOf(err, nil, t.endpoint.URL)
	}
	opened := &jobStream{t: t, stream: stream}
	err = opened.send(
		&workflowv1.StreamJobsRequest{Message: &workflowv1.StreamJobsRequest_Open{Open: &workflowv1.OpenStream{
			WorkerId: open.WorkerID, JobTypes: open.JobTypes,
			LeaseSeconds: int32(open.LeaseSeconds), Credit: int32(open.Credit),
		}}},
	)
	return opened, err
}

func (s *jobStream) Receive() ([]millrace.Job, error) {
	answer, err := s.stream.Recv()
	if err != nil {
		s.t.endpoint.Told(asideOf(nil, s.stream.Trailer()))
		return nil, s.ended(err)
	}
	return jobsOf(answer.GetJobs()), nil
}

func (s *jobStream) AddCredit(more int) error {
	return s.send(&workflowv1.StreamJobsRequest{Message: &workflowv1.StreamJobsRequest_Credit{Credit: int32(more)}})
}

func (s *jobStream) Started(jobs []millrace.StartedJob) error {
	started := make([]*workflowv1.StartedJob, len(jobs))
	for i, job := range jobs {
		started[i] = &workflowv1.StartedJob{JobId: job.JobID, LeaseToken: job.LeaseToken}
	}
	return s.send(&workflowv1.StreamJobsRequest{Message: &workflowv1.StreamJobsRequest_Started{
		Started: &workflowv1.StartedJobs{Jobs: started},
	}})
}

func (s *jobStream) CloseSend() error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.stream.CloseSend()
}

// send fails with io.EOF when the stream has ended; Receive then says why.
func (s *jobStream) send(message *workflowv1.StreamJobsRequest) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.stream.Send(message)
}

// ended says how a stream ended; one that the engine ended without an error is over all the same.
func (s *jobStream) ended(err error) error {
	if isEnd(err) {
		return &millrace.TransportError{Kind: millrace.Interrupted, Message: "the engine ended the stream of jobs", Err: err}
	}
	return errorOf(err, s.stream.Trailer(), s.t.endpoint.URL)
}
