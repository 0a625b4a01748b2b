// What a handler returns to say how its failure counts, and what its context ends with.

package worker

import (
	"errors"
	"time"
)

var (
	// ErrLeaseLost is the cause of a handler's context: stop, another worker may have the job by now.
	ErrLeaseLost = errors.New("the lease of the job is lost")
	// ErrTimedOut is the cause of a handler's context: the time for one attempt is over. The job fails, retryable.
	ErrTimedOut = errors.New("the time for this attempt is over")
	// ErrStopped is the cause of a handler's context: the worker stops and will not wait any longer.
	ErrStopped = errors.New("the worker stopped")
)

// NonRetryableError fails a job at once, whatever retries it has left.
type NonRetryableError struct{ Err error }

func (e *NonRetryableError) Error() string { return e.Err.Error() }

func (e *NonRetryableError) Unwrap() error { return e.Err }

// NonRetryable says that trying again cannot help.
func NonRetryable(err error) error { return &NonRetryableError{Err: err} }

// RetryAfterError fails a job, which is tried again after a time that the handler chose.
type RetryAfterError struct {
	Err   error
	After time.Duration
}

func (e *RetryAfterError) Error() string { return e.Err.Error() }

func (e *RetryAfterError) Unwrap() error { return e.Err }

// RetryAfter says: try again, but not before this much time. It spends a retry like any other failure.
func RetryAfter(err error, after time.Duration) error {
	return &RetryAfterError{Err: err, After: max(0, after)}
}

// PushbackError says that the system which the handler called pushed back.
type PushbackError struct {
	Err error
	// Status is the HTTP status: 429 or 503, or 504 where it did not answer in time.
	Status int
	// After is what it asked for; 0 when it did not say.
	After time.Duration
}

func (e *PushbackError) Error() string { return e.Err.Error() }

func (e *PushbackError) Unwrap() error { return e.Err }

// Pushback fails a job, retryable; jobs for the same downstream are handed out more slowly, or not before that time.
func Pushback(err error, status int, after time.Duration) error {
	return &PushbackError{Err: err, Status: status, After: after}
}
