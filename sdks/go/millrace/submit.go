// A submission that is sent until an engine accepts it: one key, several engines, and no giving up as long as it can
// still work.

package millrace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	// How long an engine may be silent before the next one is asked as well.
	hedgeAfter = 300 * time.Millisecond
	// How long one answer may take before the same engine is asked again.
	submitAttempt = 10 * time.Second
)

type submitted struct {
	answer TakenIn
	err    error
}

// Submit saves a submission at the first engine that accepts it, and then takes back what is under way at others,
// which have the same key and write nothing. Failures that may pass are sat out, each engine for itself and as its
// Retry-After asks, until the context ends; it may have been accepted even then. A key is made where there is none.
// REST only.
func (c *Client) Submit(ctx context.Context, submission Submission) (TakenIn, error) {
	if c.rest == nil {
		return TakenIn{}, errNoREST("Submit")
	}
	if submission.Key == "" {
		submission.Key = rand.Text()
	}
	ctx, cancel := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer cancel()
	results := make(chan submitted, len(c.rest.transports))
	trouble := make(chan struct{}, 1)
	for _, transport := range c.rest.transports {
		asked.Go(func() { results <- c.submitTo(ctx, transport.(*restTransport), submission, trouble) })
		select {
		case result := <-results:
			return result.answer, result.err
		case <-trouble:
		case <-time.After(hedgeAfter):
		}
	}
	result := <-results
	return result.answer, result.err
}

// submitTo asks one engine until it accepts, refuses for good or the context ends.
func (c *Client) submitTo(
	ctx context.Context, transport *restTransport, submission Submission, trouble chan<- struct{},
) submitted {
	for attempt := 1; ; attempt++ {
		answer, err := submitOnce(ctx, transport, submission)
		if err == nil {
			return submitted{answer: answer}
		}
		if ctx.Err() != nil {
			return submitted{err: fmt.Errorf("the submission %s was not accepted: %w (%v)", submission.Key, ctx.Err(), err)}
		}
		if isFinal(err) {
			return submitted{err: err}
		}
		select {
		case trouble <- struct{}{}:
		default:
		}
		// Up to a fifth is added to what an engine asks for, or all would be back in the same moment.
		asked := time.Duration(float64(retryAfter(err)) * (1 + mathrand.Float64()/5))
		_ = sleep(ctx, max(asked, Backoff(attempt)))
	}
}

func submitOnce(ctx context.Context, transport *restTransport, submission Submission) (TakenIn, error) {
	ctx, cancel := context.WithTimeout(ctx, submitAttempt)
	defer cancel()
	call := Call{IdempotencyKey: submission.Key, Trace: TraceFromContext(ctx)}
	answer, err := sendREST[TakenIn](ctx, transport, call, submission.request())
	if err == nil && answer.IdempotencyKey != submission.Key {
		// A proxy that answers for an engine which is not there has kept nothing.
		return answer, &TransportError{Kind: Malformed, Message: "the answer to a submission is not an engine's"}
	}
	return answer, err
}

func (s Submission) request() restRequest {
	at := path("/v1/intake/%s", s.DefinitionID)
	if s.LinkingID != "" {
		at += "?linkingId=" + url.QueryEscape(s.LinkingID)
	}
	payload := s.Payload
	if payload == nil {
		payload = Variables{}
	}
	return post(at, payload)
}

// isFinal: of all 4xx only Request Timeout, Too Early and Too Many Requests may pass.
func isFinal(err error) bool {
	var refusal *Error
	if errors.As(err, &refusal) {
		passes := refusal.Status == http.StatusRequestTimeout || refusal.Status == http.StatusTooEarly ||
			refusal.Status == http.StatusTooManyRequests
		return refusal.Status >= 400 && refusal.Status < 500 && !passes
	}
	var transport *TransportError
	return !errors.As(err, &transport)
}
