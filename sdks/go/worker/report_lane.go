// Brings finished jobs back to the engine, one request at a time, and asks for more work on the same way.
//
// What finishes while a request is in flight goes together in the next one: alone, a report leaves at once; under load
// batches grow by themselves. A report that could not be delivered stays at the front until its lease is surely gone.
// One over which the engine or the connection breaks waits apart, so that the others pass. One that cannot be sent
// fails its job.

package worker

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/millrace/millrace/sdks/go/millrace"
)

type reportLane struct {
	w *Worker
	// wake has room for one: a second wake before the lane looks changes nothing.
	wake chan struct{}
	// Only the lane's goroutine has these.
	exchanges bool
	mayAsk    bool
	failures  int

	mu      sync.Mutex
	waiting []*report
	busy    bool
	aside   int
}

func newReportLane(w *Worker) *reportLane {
	mode := w.settings.mode
	mayAsk := mode == Exchange && w.settings.source == nil
	return &reportLane{w: w, wake: make(chan struct{}, 1), exchanges: mode != Poll, mayAsk: mayAsk}
}

// add queues a report; ring lets it leave.
func (l *reportLane) add(one *report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, one)
}

func (l *reportLane) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// pending counts the reports that no request carries yet.
func (l *reportLane) pending() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

func (l *reportLane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.busy && l.aside == 0 && len(l.waiting) == 0
}

// run delivers until the context ends.
func (l *reportLane) run(ctx context.Context) {
	for {
		select {
		case <-l.wake:
		case <-ctx.Done():
			return
		}
		for batch := l.next(); len(batch) > 0 && ctx.Err() == nil; batch = l.next() {
			l.send(ctx, batch)
		}
		l.w.slots.wake()
	}
}

// next takes a batch off the front and says that the lane is busy; an empty one says that it is not.
func (l *reportLane) next() []*report {
	hopeless := l.takeHopeless()
	for _, one := range hopeless {
		l.w.settled(one, "dropped")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	batch, rest := takeBatch(l.waiting)
	l.waiting, l.busy = rest, len(batch) > 0
	return batch
}

func (l *reportLane) takeHopeless() []*report {
	l.mu.Lock()
	defer l.mu.Unlock()
	var hopeless, rest []*report
	for _, one := range l.waiting {
		if one.isHopeless(time.Now()) {
			hopeless = append(hopeless, one)
		} else {
			rest = append(rest, one)
		}
	}
	l.waiting = rest
	return hopeless
}

func (l *reportLane) send(ctx context.Context, batch []*report) {
	for _, one := range batch {
		one.tries++
	}
	// An exchange takes jobs with a token alone.
	if l.exchanges && haveTokens(batch) {
		l.exchange(ctx, batch)
	} else {
		l.sendSingly(ctx, batch)
	}
}

func (l *reportLane) exchange(ctx context.Context, batch []*report) {
	request := exchangeRequest(l.w.settings.workerID, batch)
	asked := l.ask(&request)
	askedAt := time.Now()
	attempt, cancel := context.WithTimeout(ctx, l.timeout())
	defer cancel()
	answer, err := l.w.engine.Exchange(attempt, request, millrace.MaxAttempts(1))
	if request.Poll != nil {
		l.w.answered(answer.Jobs, asked, askedAt)
	}
	if err != nil {
		l.afterFailedExchange(ctx, batch, err)
		return
	}
	l.failures = 0
	for i, one := range inAnswerOrder(batch) {
		verdict := "unknown"
		if i < len(answer.Results) {
			verdict = answer.Results[i].Outcome
		}
		l.w.settled(one, verdict)
	}
}

// ask puts a question for more jobs into the request, where there are free places.
func (l *reportLane) ask(request *millrace.ExchangeRequest) int {
	if !l.mayAsk || l.w.draining.Err() != nil {
		return 0
	}
	places := l.w.slots.ask(mostJobs, 0)
	if places > 0 {
		options := l.w.pollOptions(places)
		request.Poll = &options
	}
	return places
}

func (l *reportLane) timeout() time.Duration { return min(30*time.Second, l.w.settings.lease()/3) }

func (l *reportLane) afterFailedExchange(ctx context.Context, batch []*report, err error) {
	switch {
	case l.learns(err):
		l.putBack(batch)
	case len(batch) == 1 && isUnanswered(err):
		l.setAside(ctx, batch[0], err)
	case isCut(err), isRefusal(err), isBreakdown(err), errors.Is(err, millrace.ErrNotJSON):
		l.sendSingly(ctx, batch)
	default:
		l.tryAgainLater(ctx, batch, err)
	}
}

// learns of an engine without exchange, or of one that dispatches through Kafka and takes reports only.
func (l *reportLane) learns(err error) bool {
	switch {
	case hasStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented):
		l.exchanges = false
	case hasStatus(err, http.StatusGone) && l.mayAsk:
		l.mayAsk = false
	default:
		return false
	}
	l.w.log().Info("the engine takes reports in another way, adapting", "error", err)
	return true
}

func (l *reportLane) sendSingly(ctx context.Context, batch []*report) {
	errs := make([]error, len(batch))
	var sent sync.WaitGroup
	for i, one := range batch {
		sent.Go(func() { errs[i] = l.sendOne(ctx, one) })
	}
	sent.Wait()
	var undelivered []*report
	var failure error
	for i, one := range batch {
		if !l.delivered(ctx, one, errs[i]) {
			undelivered, failure = append(undelivered, one), errs[i]
		}
	}
	if len(undelivered) > 0 {
		l.tryAgainLater(ctx, undelivered, failure)
	} else {
		l.failures = 0
	}
}

func (l *reportLane) sendOne(ctx context.Context, one *report) error {
	ctx, cancel := context.WithTimeout(ctx, l.timeout())
	defer cancel()
	workerID := l.w.settings.workerID
	if one.outcome.completed {
		return l.w.engine.Complete(ctx, completeRequest(workerID, one), millrace.MaxAttempts(1))
	}
	return l.w.engine.Fail(ctx, failRequest(workerID, one), millrace.MaxAttempts(1))
}

// delivered is false when the report has to be sent again with the next.
func (l *reportLane) delivered(ctx context.Context, one *report, err error) bool {
	switch {
	case err == nil:
		l.w.settled(one, "accepted")
	case isRefusal(err):
		l.failInstead(one, err, refusedByEngine(err.Error()))
	case errors.Is(err, millrace.ErrNotJSON):
		l.failInstead(one, err, unsendable(err))
	case hasStatus(err, http.StatusConflict):
		l.w.settled(one, "stale")
	case hasStatus(err, http.StatusNotFound):
		l.w.settled(one, "unknown")
	case isBreakdown(err), isUnanswered(err):
		l.setAside(ctx, one, err)
	default:
		return false
	}
	return true
}

// failInstead fails the job for variables that are not taken: dropping them would only run it again, to the same end.
func (l *reportLane) failInstead(one *report, err error, failure outcome) {
	l.w.log().Error("a report was refused", "jobId", one.job.ID, "error", err)
	if !one.outcome.completed {
		l.w.settled(one, "dropped")
		return
	}
	one.outcome, one.tries = failure, 0
	l.putBack([]*report{one})
}

func (l *reportLane) setAside(ctx context.Context, one *report, err error) {
	l.w.log().Warn("a report did not get through, trying again", "jobId", one.job.ID, "error", err)
	l.mu.Lock()
	l.aside++
	l.mu.Unlock()
	l.w.group.Go(func() {
		_ = pauseFor(ctx, millrace.Backoff(one.tries))
		l.mu.Lock()
		l.aside--
		l.waiting = append(l.waiting, one)
		l.mu.Unlock()
		l.ring()
	})
}

func (l *reportLane) tryAgainLater(ctx context.Context, reports []*report, err error) {
	l.putBack(reports)
	if ctx.Err() != nil {
		return
	}
	l.failures++
	l.w.log().Warn("reports not delivered, trying again", "reports", len(reports), "error", err)
	_ = pauseFor(ctx, max(askedPause(err), millrace.Backoff(l.failures)))
}

func (l *reportLane) putBack(reports []*report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(append([]*report{}, reports...), l.waiting...)
}

// isRefusal: malformed, too large, unsupported, contradicting: the report itself is wrong.
func isRefusal(err error) bool {
	return hasStatus(err, http.StatusBadRequest, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
}

// isBreakdown: the engine answers but cannot do it, so the fault lies with this request and not with the link.
func isBreakdown(err error) bool { return hasStatus(err, http.StatusInternalServerError) }

// isUnanswered: the engine was there, and this request got no answer. The fault may lie with its size.
func isUnanswered(err error) bool { return isCut(err) || hasFailure(err, millrace.TimedOut) }

func isCut(err error) bool { return hasFailure(err, millrace.Interrupted) }

func hasFailure(err error, kind millrace.Failure) bool {
	var lost *millrace.TransportError
	return errors.As(err, &lost) && lost.Kind == kind
}

func hasStatus(err error, statuses ...int) bool {
	var refusal *millrace.Error
	if !errors.As(err, &refusal) {
		return false
	}
	for _, status := range statuses {
		if refusal.Status == status {
			return true
		}
	}
	return false
}

// askedPause is what the engine asks for, 0 when it does not say.
func askedPause(err error) time.Duration {
	var refusal *millrace.Error
	if errors.As(err, &refusal) {
		return refusal.RetryAfter
	}
	return 0
}
