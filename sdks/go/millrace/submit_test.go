package millrace

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

var aSubmission = Submission{DefinitionID: "d", Key: "k1", Payload: Variables{"a": 1}, LinkingID: "l 1"}

const taken = `{"idempotencyKey":"k1"}`

func TestASubmissionIsSentUntilItIsTaken(t *testing.T) {
	engine := newEngine(t, breaks, answers(503, unavailable), answers(200, "<html>"), answers(202, taken))
	answer, err := connect(t, engine.URL).Submit(soon(t), aSubmission)
	if err != nil || answer.IdempotencyKey != "k1" || len(engine.seen()) != 4 {
		t.Fatal(answer, err, len(engine.seen()))
	}
	for _, request := range engine.seen() {
		if request.header.Get("Idempotency-Key") != "k1" || request.path != "/v1/intake/d?linkingId=l+1" ||
			request.body != `{"a":1}` {
			t.Errorf("%+v", request)
		}
	}
}

func TestASubmissionGoesToTheNextEngine(t *testing.T) {
	t.Run("when one cannot be reached", func(t *testing.T) {
		second := newEngine(t, answers(202, taken))
		if _, err := connect(t, noEngine(t)+","+second.URL).Submit(soon(t), aSubmission); err != nil {
			t.Error(err)
		}
	})
	t.Run("when one is silent", func(t *testing.T) {
		silent := newEngine(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		second := newEngine(t, answers(202, taken))
		if _, err := connect(t, silent.URL+","+second.URL).Submit(soon(t), aSubmission); err != nil {
			t.Error(err)
		}
	})
}

func TestASubmissionEnds(t *testing.T) {
	refused := newEngine(t, answers(404, `{"error":"not-found","message":"there is no definition d"}`))
	if _, err := connect(t, refused.URL).Submit(soon(t), aSubmission); !IsCode(err, CodeNotFound) ||
		len(refused.seen()) != 1 {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(soon(t), 50*time.Millisecond)
	defer cancel()
	if _, err := connect(t, noEngine(t)).Submit(ctx, aSubmission); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
