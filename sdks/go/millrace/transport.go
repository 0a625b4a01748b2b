// What a wire has to offer, and how a wire is found by the scheme of an address.

package millrace

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Transport speaks to one engine, for the calls that REST and gRPC both have. It sends a request once; the client
// decides about repeats and about the next address.
type Transport interface {
	UploadDefinition(ctx context.Context, call Call, definition Definition) (UploadedDefinition, error)
	GetDefinition(ctx context.Context, call Call, id string, version int) (Definition, error)
	ListDefinitions(ctx context.Context, call Call, query ListDefinitionsQuery) (DefinitionPage, error)
	StartInstance(ctx context.Context, call Call, request StartInstance) (Instance, error)
	GetInstance(ctx context.Context, call Call, id string) (Instance, error)
	ListInstances(ctx context.Context, call Call, query ListInstancesQuery) (InstancePage, error)
	GetHistory(ctx context.Context, call Call, id string) ([]StepExecution, error)
	CancelInstance(ctx context.Context, call Call, id, reason string) (Instance, error)
	CompleteUserTask(ctx context.Context, call Call, step StepRef, request CompleteUserTask) error
	Signal(ctx context.Context, call Call, step StepRef, variables Variables) error
	RetryStep(ctx context.Context, call Call, step StepRef, variables Variables) (Instance, error)
	Poll(ctx context.Context, call Call, request PollRequest) ([]Job, error)
	Complete(ctx context.Context, call Call, request CompleteJob) error
	Fail(ctx context.Context, call Call, request FailJob) error
	Heartbeat(ctx context.Context, call Call, request HeartbeatJob) (HeartbeatResult, error)
	Exchange(ctx context.Context, call Call, request ExchangeRequest) (ExchangeResult, error)
	Close() error
}

// Call is what goes with every request.
type Call struct {
	// IdempotencyKey of a change; empty on reads and on the calls of a worker.
	IdempotencyKey string
	// Trace is where the caller stands in a trace; empty where nothing is traced.
	Trace TraceContext
}

// StepRef names a step of an instance.
type StepRef struct {
	InstanceID string
	StepID     string
}

// Endpoint is one address of an engine and what a transport needs to speak to it.
type Endpoint struct {
	URL       *url.URL
	APIKey    string
	UserAgent string
	// TLS is nil where the defaults do.
	TLS *tls.Config
	// Told takes what an answer says beside itself.
	Told func(Aside)
}

// Aside is what an answer says beside itself.
type Aside struct {
	// ServerVersion is empty where the engine does not tell.
	ServerVersion string
	Warnings      []string
}

// OpenTransport makes a transport without waiting for a connection.
type OpenTransport func(Endpoint) (Transport, error)

var (
	transportsMu sync.RWMutex
	transports   = map[string]OpenTransport{"http": openREST, "https": openREST}
)

// RegisterTransport lets New speak to addresses of these schemes. The package grpctransport calls it when imported.
func RegisterTransport(open OpenTransport, schemes ...string) {
	transportsMu.Lock()
	defer transportsMu.Unlock()
	for _, scheme := range schemes {
		transports[scheme] = open
	}
}

func transportOf(scheme string) (OpenTransport, error) {
	transportsMu.RLock()
	defer transportsMu.RUnlock()
	if open, ok := transports[scheme]; ok {
		return open, nil
	}
	if scheme == "grpc" || scheme == "grpcs" {
		return nil, fmt.Errorf("%s addresses need the gRPC transport: "+
			`import _ "github.com/millrace/millrace/sdks/go/grpctransport"`, scheme)
	}
	return nil, fmt.Errorf("an address begins with http://, https://, grpc:// or grpcs://, not %q", scheme+"://")
}

// parseAddresses reads one address or several, separated by commas; all of one scheme. An address without a scheme has
// that of the first.
func parseAddresses(text string) ([]*url.URL, error) {
	var addresses []*url.URL
	scheme := ""
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if scheme != "" && !strings.Contains(part, "://") {
			part = scheme + "://" + part
		}
		address, err := parseAddress(part)
		if err != nil {
			return nil, err
		}
		if scheme != "" && scheme != address.Scheme {
			return nil, fmt.Errorf("the addresses in %q are of different schemes", text)
		}
		scheme = address.Scheme
		addresses = append(addresses, address)
	}
	return slices.Clip(addresses), nil
}

func parseAddress(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" {
		return nil, fmt.Errorf("an address is needed such as http://127.0.0.1:8080, not %q", text)
	}
	address.Path = strings.TrimRight(address.Path, "/")
	return address, nil
}
