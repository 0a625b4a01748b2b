// One call: its deadline, its repeats where they do no harm, and the next address when one fails.

package millrace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// repeat says when a call may be sent again without the caller asking.
type repeat int

const (
	// always: it has the same effect once or twice.
	always repeat = iota
	// unsent: only when it never left.
	unsent
)

// operation is a call as the retry loop sees it.
type operation struct {
	name    string
	repeat  repeat
	change  bool
	worker  bool
	wait    time.Duration
	options []CallOption
}

func read(name string, options []CallOption) operation {
	return operation{name: name, options: options}
}

func change(name string, options []CallOption) operation {
	return operation{name: name, change: true, options: options}
}

// errNoREST is what a gRPC client says of a call that only REST has.
func errNoREST(name string) error {
	return fmt.Errorf("%s is not served over gRPC: give the client a REST address beside it with millrace.WithREST", name)
}

// do runs a call on the wire of the client.
func do[T any](
	ctx context.Context, c *Client, op operation, send func(context.Context, Transport, Call) (T, error),
) (T, error) {
	return run(ctx, c, c.wire, op, send)
}

// doREST runs a call that only REST has.
func doREST[T any](ctx context.Context, c *Client, op operation, request restRequest) (T, error) {
	var none T
	if c.rest == nil {
		return none, errNoREST(op.name)
	}
	return run(ctx, c, c.rest, op, func(ctx context.Context, transport Transport, call Call) (T, error) {
		return sendREST[T](ctx, transport.(*restTransport), call, request)
	})
}

func run[T any](
	ctx context.Context, c *Client, l *lanes, op operation, send func(context.Context, Transport, Call) (T, error),
) (T, error) {
	given := callSettings{maxAttempts: c.settings.maxAttempts}
	for _, option := range op.options {
		option(&given)
	}
	call := c.callOf(ctx, op, given)
	if op.change && call.IdempotencyKey == "" {
		op.repeat = unsent
	}
	ctx, cancel := context.WithTimeout(ctx, c.settings.timeout+op.wait)
	defer cancel()
	for attempt := 1; ; attempt++ {
		at, transport := l.use()
		answer, err := attemptOnce(ctx, c, op, func(ctx context.Context) (T, error) { return send(ctx, transport, call) })
		if err == nil {
			return answer, nil
		}
		err = c.explain(asked{op.name, l.address(at)}, err)
		// A deadline of the caller's says nothing of the address.
		if ctx.Err() == nil && failsOver(err) {
			l.leave(at)
		}
		pause := pauseBefore(err, attempt, len(l.transports))
		if attempt >= given.maxAttempts || !mayRepeat(op.repeat, err) || !fits(ctx, pause) || sleep(ctx, pause) != nil {
			return answer, err
		}
	}
}

func (c *Client) callOf(ctx context.Context, op operation, given callSettings) Call {
	call := Call{IdempotencyKey: given.idempotencyKey}
	if op.change && call.IdempotencyKey == "" && c.settings.autoKeys {
		call.IdempotencyKey = rand.Text()
	}
	if !op.worker {
		call.Trace = TraceFromContext(ctx)
	}
	return call
}

func attemptOnce[T any](
	ctx context.Context, c *Client, op operation, send func(context.Context) (T, error),
) (T, error) {
	attempt, cancel := context.WithTimeout(ctx, c.settings.attemptTimeout+op.wait)
	defer cancel()
	answer, err := send(attempt)
	if err != nil && ctx.Err() == context.Canceled {
		return answer, fmt.Errorf("%s: %w", op.name, ctx.Err())
	}
	if err != nil && attempt.Err() != nil {
		var refusal *Error
		if !errors.As(err, &refusal) {
			return answer, &TransportError{Kind: TimedOut, Message: "no answer in time to " + op.name, Err: attempt.Err()}
		}
	}
	return answer, err
}

// failsOver says whether another address may do better.
func failsOver(err error) bool {
	var transport *TransportError
	if errors.As(err, &transport) {
		return true
	}
	var refusal *Error
	return errors.As(err, &refusal) && refusal.Status >= http.StatusBadGateway && refusal.Code != CodeBackpressure
}

func mayRepeat(when repeat, err error) bool {
	var transport *TransportError
	if errors.As(err, &transport) {
		return transport.Kind == Unreachable || when == always
	}
	return when == always && IsRetryable(err)
}

// pauseBefore a repeat. Addresses that this call has not tried yet are tried at once.
func pauseBefore(err error, attempt, addresses int) time.Duration {
	if failsOver(err) && attempt < addresses {
		return 0
	}
	return max(retryAfter(err), Backoff(attempt))
}

// fits says whether the call's time allows the pause.
func fits(ctx context.Context, pause time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Now().Add(pause).Before(deadline)
}
