// What a call can fail with: a refusal by the engine, a failure to reach it, or a server that is too old.

package millrace

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// CataloguedCode is an entry of the catalogue of errors.
type CataloguedCode struct {
	Code      string
	Status    int
	GRPC      string
	Retryable bool
	Advice    string
}

// LookupCode finds a code in the catalogue that this SDK was made with.
func LookupCode(code string) (CataloguedCode, bool) {
	for _, entry := range catalogue {
		if entry.Code == code {
			return entry, true
		}
	}
	return CataloguedCode{}, false
}

// ErrNotJSON is in the error of a call whose variables cannot be sent: nothing was, and it fails in the same way again.
var ErrNotJSON = errors.New("what is to be sent is not JSON")

// Error says that the engine answered and refused.
type Error struct {
	// Code of the catalogue, or "http-502" and the like when something between us and the engine answered.
	Code string
	// Status is the HTTP status; over gRPC the one that the catalogue gives the code.
	Status    int
	Message   string
	RequestID string
	// Details are the violations of a request that was not as it should be.
	Details []Violation
	// RetryAfter is how long the engine asks to be left alone; 0 when it does not say.
	RetryAfter time.Duration
	// Location is where a redirect points. It is not followed: the key stays with the engine it was given for.
	Location string
	// advised: the message says what to do already.
	advised bool
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", e.Code, e.Message)
	if advice := e.adviceShown(); advice != "" {
		text += " (" + advice + ")"
	}
	return text
}

// Retryable says whether the same request may succeed later, unchanged.
func (e *Error) Retryable() bool {
	if entry, ok := LookupCode(e.Code); ok {
		return entry.Retryable
	}
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Advice is what the catalogue advises.
func (e *Error) Advice() string {
	entry, _ := LookupCode(e.Code)
	return entry.Advice
}

// adviceShown is the advice where the message alone leaves the reader without a next step.
func (e *Error) adviceShown() string {
	switch e.Code {
	case CodeForbidden, CodeMisdirectedRequest:
		return e.Advice()
	}
	return ""
}

// IsCode says whether err is a refusal with this code.
func IsCode(err error, code string) bool {
	var refusal *Error
	return errors.As(err, &refusal) && refusal.Code == code
}

// IsRetryable says whether the same call may succeed later: a refusal that passes, or no answer.
func IsRetryable(err error) bool {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Retryable()
	}
	var transport *TransportError
	return errors.As(err, &transport)
}

// Failure is the way in which no answer came.
type Failure string

const (
	// Unreachable: no connection, the request was never sent.
	Unreachable Failure = "unreachable"
	// Interrupted: the connection broke, the engine may or may not have acted.
	Interrupted Failure = "interrupted"
	// TimedOut: no answer in time, likewise.
	TimedOut Failure = "timeout"
	// Malformed: the answer is not what an engine answers.
	Malformed Failure = "malformed"
)

// TransportError says that the engine could not be reached, or that its answer did not arrive.
type TransportError struct {
	Kind    Failure
	Message string
	Err     error
}

func (e *TransportError) Error() string { return e.Message }

func (e *TransportError) Unwrap() error { return e.Err }

// ServerTooOldError says that the engine does not know a call of this SDK.
type ServerTooOldError struct {
	// Server is its version, empty when it did not say.
	Server string
	Call   string
	Err    error
}

func (e *ServerTooOldError) Error() string {
	server := "which does not tell its version"
	if e.Server != "" {
		server = "version " + e.Server
	}
	return fmt.Sprintf("the engine (%s) does not know %s: it is older than this SDK (%s); upgrade the engine, "+
		"or use the SDK of its version", server, e.Call, Version)
}

func (e *ServerTooOldError) Unwrap() error { return e.Err }

// retryAfter is what the engine asked for, 0 when err is something else.
func retryAfter(err error) time.Duration {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.RetryAfter
	}
	return 0
}
