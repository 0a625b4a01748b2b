// The settings of a client and of a call.

package millrace

import (
	"crypto/tls"
	"log/slog"
	"time"
)

// Option is a setting of a client.
type Option func(*settings)

type settings struct {
	apiKey         string
	restURL        string
	workerID       string
	logger         *slog.Logger
	tls            *tls.Config
	timeout        time.Duration
	attemptTimeout time.Duration
	maxAttempts    int
	autoKeys       bool
}

func readOptions(options []Option) settings {
	s := settings{
		timeout:        60 * time.Second,
		attemptTimeout: 30 * time.Second,
		maxAttempts:    5,
		autoKeys:       true,
		logger:         slog.Default(),
	}
	for _, option := range options {
		option(&s)
	}
	return s
}

// WithAPIKey sends a key with every call.
func WithAPIKey(key string) Option { return func(s *settings) { s.apiKey = key } }

// WithREST gives a gRPC client the address for what gRPC does not have: schedules, dead letters, queues, jobs that
// stand alone, the inbox, intake, audit, waiting, bulk. Several are separated by commas.
func WithREST(url string) Option { return func(s *settings) { s.restURL = url } }

// WithWorkerID names the worker for calls about jobs that name none.
func WithWorkerID(id string) Option { return func(s *settings) { s.workerID = id } }

// WithLogger takes what the client has to say: warnings of the engine, repeats. Default: slog's.
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }

// WithTLS sets the TLS configuration of https and grpcs addresses, such as a certificate authority of one's own.
func WithTLS(config *tls.Config) Option { return func(s *settings) { s.tls = config } }

// WithTimeout bounds a call with its repeats where its context has no nearer deadline; default one minute. A long poll
// adds its wait.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// WithAttemptTimeout bounds one attempt of a call; default 30 seconds.
func WithAttemptTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.attemptTimeout = timeout }
}

// WithMaxAttempts bounds how often a call is sent; default 5, 1 turns repeats off.
func WithMaxAttempts(attempts int) Option { return func(s *settings) { s.maxAttempts = attempts } }

// WithoutIdempotencyKeys sends changes without a key of the SDK's making. They are then repeated only if they never
// left.
func WithoutIdempotencyKeys() Option { return func(s *settings) { s.autoKeys = false } }

// CallOption is a setting of one call.
type CallOption func(*callSettings)

type callSettings struct {
	idempotencyKey string
	maxAttempts    int
}

// IdempotencyKey names a change: sent again with the same key and content it has one effect, for 24 hours. Without it
// the SDK makes one for each call.
func IdempotencyKey(key string) CallOption { return func(s *callSettings) { s.idempotencyKey = key } }

// MaxAttempts bounds how often this call is sent; 1: once, whatever happens.
func MaxAttempts(attempts int) CallOption { return func(s *callSettings) { s.maxAttempts = attempts } }
