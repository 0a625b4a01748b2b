// Package grpctransport lets the client of package millrace speak gRPC. Importing it is enough:
//
//	import _ "github.com/millrace/millrace/sdks/go/grpctransport"
//
//	client, err := millrace.New("grpc://127.0.0.1:9090", millrace.WithREST("http://127.0.0.1:8080"))
//
// grpc is plaintext, grpcs is TLS.
package grpctransport

import (
	"context"
	"crypto/tls"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

func init() { millrace.RegisterTransport(Open, "grpc", "grpcs") }

type transport struct {
	endpoint millrace.Endpoint
	conn     *grpc.ClientConn
	engine   workflowv1.WorkflowEngineClient
}

// Open makes a transport for an address with the scheme grpc or grpcs. It does not wait for a connection.
func Open(endpoint millrace.Endpoint) (millrace.Transport, error) {
	return open(endpoint)
}

func open(endpoint millrace.Endpoint, more ...grpc.DialOption) (*transport, error) {
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(credentialsOf(endpoint)),
		grpc.WithUserAgent(endpoint.UserAgent),
		// A connection that a network device dropped is noticed by the missing answer to a ping.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
		// The client has pauses and other addresses of its own: a broken connection is tried again soon.
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnects, MinConnectTimeout: 5 * time.Second}),
	}
	conn, err := grpc.NewClient(endpoint.URL.Host, append(options, more...)...)
	if err != nil {
		return nil, err
	}
	return &transport{endpoint: endpoint, conn: conn, engine: workflowv1.NewWorkflowEngineClient(conn)}, nil
}

var reconnects = backoff.Config{
	BaseDelay: 100 * time.Millisecond, Multiplier: 2, Jitter: 0.2, MaxDelay: 5 * time.Second,
}

func credentialsOf(endpoint millrace.Endpoint) credentials.TransportCredentials {
	if endpoint.URL.Scheme != "grpcs" {
		return insecure.NewCredentials()
	}
	if endpoint.TLS == nil {
		return credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	}
	return credentials.NewTLS(endpoint.TLS)
}

func (t *transport) Close() error { return t.conn.Close() }

// unary sends one request; metadata goes with it, and what the answer says beside itself is told on.
func unary[Q, A any](
	ctx context.Context, t *transport, call millrace.Call,
	send func(context.Context, Q, ...grpc.CallOption) (A, error), request Q,
) (A, error) {
	var header, trailer metadata.MD
	answer, err := send(t.outgoing(ctx, call), request, grpc.Header(&header), grpc.Trailer(&trailer))
	t.endpoint.Told(asideOf(header, trailer))
	if err != nil {
		return answer, errorOf(err, trailer, t.endpoint.URL)
	}
	return answer, nil
}

func (t *transport) outgoing(ctx context.Context, call millrace.Call) context.Context {
	var pairs []string
	add := func(name, value string) {
		if value != "" {
			pairs = append(pairs, name, value)
		}
	}
	if t.endpoint.APIKey != "" {
		add("authorization", "Bearer "+t.endpoint.APIKey)
	}
	add("idempotency-key", call.IdempotencyKey)
	add("traceparent", call.Trace.Traceparent)
	add("tracestate", call.Trace.Tracestate)
	return metadata.AppendToOutgoingContext(ctx, pairs...)
}

func asideOf(header, trailer metadata.MD) millrace.Aside {
	both := metadata.Join(header, trailer)
	aside := millrace.Aside{}
	if versions := both.Get("millrace-version"); len(versions) > 0 {
		aside.ServerVersion = versions[0]
	}
	for _, warning := range both.Get("warning") {
		aside.Warnings = append(aside.Warnings, millrace.WarningText(warning))
	}
	return aside
}
