// The settings of a worker, their defaults and bounds.

package worker

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Mode is how jobs come and how their ends are reported.
type Mode string

const (
	// Exchange long-polls and reports through the exchange call, which asks for more jobs on the same way. The default.
	Exchange Mode = "exchange"
	// Poll polls and reports each job by a call of its own.
	Poll Mode = "poll"
	// Stream has the engine push jobs over gRPC.
	Stream Mode = "stream"
)

// Option is a setting of a worker.
type Option func(*settings)

type settings struct {
	workerID     string
	registry     *Registry
	mode         Mode
	concurrency  int
	leaseSeconds int
	waitSeconds  int
	pollInterval time.Duration
	stopTimeout  time.Duration
	logger       *slog.Logger
	metrics      Metrics
	around       func(Handler) Handler
	source       Source
}

// WithMode chooses how jobs come; default Exchange.
func WithMode(mode Mode) Option { return func(s *settings) { s.mode = mode } }

// WithConcurrency bounds the handlers that run at once; default 64.
func WithConcurrency(handlers int) Option { return func(s *settings) { s.concurrency = handlers } }

// WithLease sets the length of leases, 5 s to an hour; default 30 s. Heartbeats extend them while handlers run.
func WithLease(lease time.Duration) Option {
	return func(s *settings) { s.leaseSeconds = int(lease / time.Second) }
}

// WithLongPoll sets how long the engine may hold a poll that finds no work, 1 to 30 s; default 20 s, and never more
// than two thirds of the lease.
func WithLongPoll(wait time.Duration) Option {
	return func(s *settings) { s.waitSeconds, s.pollInterval = int(wait/time.Second), 0 }
}

// WithShortPoll polls at a fixed interval while there is no work, instead of letting the engine hold the poll.
func WithShortPoll(interval time.Duration) Option {
	return func(s *settings) { s.waitSeconds, s.pollInterval = 0, interval }
}

// WithStopTimeout bounds how long Run waits for handlers once its context has ended; default 30 s.
func WithStopTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.stopTimeout = timeout }
}

// WithLogger takes what goes wrong; default slog's.
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }

// WithMetrics is told what happens; NewPrometheus serves it.
func WithMetrics(metrics Metrics) Option { return func(s *settings) { s.metrics = metrics } }

// WithMiddleware puts something around every handler, such as a span of a tracer.
func WithMiddleware(around func(next Handler) Handler) Option {
	return func(s *settings) { s.around = around }
}

// WithSource has jobs brought by another way than asking the engine; sdks/go/kafka has one.
func WithSource(source Source) Option { return func(s *settings) { s.source = source } }

func readOptions(workerID string, registry *Registry, options []Option) (settings, error) {
	s := settings{
		workerID: workerID, registry: registry, mode: Exchange, concurrency: 64, leaseSeconds: 30, waitSeconds: 20,
		stopTimeout: 30 * time.Second, logger: slog.Default(), metrics: NoMetrics{},
		around: func(next Handler) Handler { return next },
	}
	for _, option := range options {
		option(&s)
	}
	// A job may have been claimed at any moment of the wait, which has to leave a good part of the lease.
	s.waitSeconds = min(s.waitSeconds, s.leaseSeconds*2/3)
	return s, s.check()
}

func (s settings) check() error {
	if s.registry == nil || len(s.registry.order) == 0 {
		return errors.New("this worker has no handlers")
	}
	if strings.TrimSpace(s.workerID) == "" {
		return errors.New("a worker needs an id")
	}
	if s.source != nil && s.mode == Stream {
		return errors.New("jobs come from a source: the mode says how reports go, exchange or poll")
	}
	if s.mode != Exchange && s.mode != Poll && s.mode != Stream {
		return fmt.Errorf("mode must be exchange, poll or stream, not %q", s.mode)
	}
	return errors.Join(
		within("concurrency", 1, s.concurrency, 10_000),
		within("the lease in seconds", 5, s.leaseSeconds, 3600),
		within("the long poll in seconds", 0, s.waitSeconds, 30),
	)
}

func within(name string, least, value, most int) error {
	if value < least || value > most {
		return fmt.Errorf("%s must be %d to %d, not %d", name, least, most, value)
	}
	return nil
}

func (s settings) lease() time.Duration { return time.Duration(s.leaseSeconds) * time.Second }

// margin before the end of a lease at which a handler is told to stop.
func (s settings) margin() time.Duration { return s.lease() / 10 }
