package grpctransport

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

// server answers as its functions say and keeps the metadata of the last call.
type server struct {
	workflowv1.UnimplementedWorkflowEngineServer
	address string

	mu       sync.Mutex
	metadata metadata.MD
	uploaded *workflowv1.WorkflowDefinition
	listed   *workflowv1.ListInstancesRequest
	start    func(ctx context.Context, request *workflowv1.StartInstanceRequest) (*workflowv1.StartInstanceResponse, error)
	get      func(ctx context.Context) (*workflowv1.GetInstanceResponse, error)
	fail     func(request *workflowv1.FailJobRequest)
	exchange func(request *workflowv1.ExchangeJobsRequest) *workflowv1.ExchangeJobsResponse
	stream   func(stream workflowv1.WorkflowEngine_StreamJobsServer) error
}

func serve(t *testing.T, s *server, options ...grpc.ServerOption) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	engine := grpc.NewServer(append(options, grpc.UnaryInterceptor(s.keep))...)
	workflowv1.RegisterWorkflowEngineServer(engine, s)
	go func() { _ = engine.Serve(listener) }()
	t.Cleanup(engine.Stop)
	s.address = "grpc://" + listener.Addr().String()
	return s
}

func (s *server) keep(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	s.mu.Lock()
	s.metadata, _ = metadata.FromIncomingContext(ctx)
	s.mu.Unlock()
	return next(ctx, request)
}

func (s *server) UploadDefinition(
	_ context.Context, request *workflowv1.UploadDefinitionRequest,
) (*workflowv1.UploadDefinitionResponse, error) {
	s.uploaded = request.GetDefinition()
	return &workflowv1.UploadDefinitionResponse{Id: s.uploaded.GetId(), Version: 7, Warnings: []string{"careful"}}, nil
}

func (s *server) GetDefinition(
	context.Context, *workflowv1.GetDefinitionRequest,
) (*workflowv1.GetDefinitionResponse, error) {
	return &workflowv1.GetDefinitionResponse{Definition: s.uploaded}, nil
}

func (s *server) ListInstances(
	_ context.Context, request *workflowv1.ListInstancesRequest,
) (*workflowv1.ListInstancesResponse, error) {
	s.listed = request
	return &workflowv1.ListInstancesResponse{}, nil
}

func (s *server) StartInstance(
	ctx context.Context, request *workflowv1.StartInstanceRequest,
) (*workflowv1.StartInstanceResponse, error) {
	return s.start(ctx, request)
}

func (s *server) GetInstance(
	ctx context.Context, _ *workflowv1.GetInstanceRequest,
) (*workflowv1.GetInstanceResponse, error) {
	return s.get(ctx)
}

func (s *server) FailJob(_ context.Context, request *workflowv1.FailJobRequest) (*workflowv1.FailJobResponse, error) {
	s.fail(request)
	return &workflowv1.FailJobResponse{}, nil
}

func (s *server) ExchangeJobs(
	_ context.Context, request *workflowv1.ExchangeJobsRequest,
) (*workflowv1.ExchangeJobsResponse, error) {
	return s.exchange(request), nil
}

func (s *server) StreamJobs(stream workflowv1.WorkflowEngine_StreamJobsServer) error {
	return s.stream(stream)
}

func connect(t *testing.T, address string, options ...millrace.Option) *millrace.Client {
	t.Helper()
	quiet := millrace.WithLogger(slog.New(slog.DiscardHandler))
	client, err := millrace.New(address, append([]millrace.Option{quiet}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func logInto(out *bytes.Buffer) millrace.Option {
	return millrace.WithLogger(slog.New(slog.NewTextHandler(out, nil)))
}

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
