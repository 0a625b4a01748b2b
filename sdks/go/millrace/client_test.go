package millrace

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestAStartThatIsRepeatedIsOneStart(t *testing.T) {
	engine := newEngine(t, breaks, answers(503, unavailable), answers(201, anInstance))
	instance, err := connect(t, engine.URL).StartInstance(soon(t), StartInstance{DefinitionID: "order"})
	if err != nil || instance.ID != "i1" {
		t.Fatal(instance, err)
	}
	keys := map[string]bool{}
	for _, request := range engine.seen() {
		keys[request.header.Get("Idempotency-Key")] = true
	}
	if len(engine.seen()) != 3 || len(keys) != 1 || keys[""] {
		t.Errorf("%d requests with the keys %v", len(engine.seen()), keys)
	}
}

func TestTheCallersIdempotencyKeyIsSent(t *testing.T) {
	engine := newEngine(t, answers(201, anInstance))
	_, err := connect(t, engine.URL).StartInstance(soon(t), StartInstance{DefinitionID: "order"}, IdempotencyKey("mine"))
	if got := engine.seen()[0].header.Get("Idempotency-Key"); err != nil || got != "mine" {
		t.Error(got, err)
	}
}

func TestAChangeWithoutAKeyIsRepeatedOnlyIfItNeverLeft(t *testing.T) {
	engine := newEngine(t, breaks)
	client := connect(t, engine.URL, WithoutIdempotencyKeys())
	_, err := client.StartInstance(soon(t), StartInstance{DefinitionID: "order"})
	var failure *TransportError
	if !errors.As(err, &failure) || failure.Kind != Interrupted || len(engine.seen()) != 1 {
		t.Errorf("%v after %d requests", err, len(engine.seen()))
	}
	second := newEngine(t, answers(201, anInstance))
	client = connect(t, noEngine(t)+","+second.URL, WithoutIdempotencyKeys())
	if _, err := client.StartInstance(soon(t), StartInstance{DefinitionID: "order"}); err != nil {
		t.Error(err)
	}
}

func TestAPollIsNotRepeatedOnceSent(t *testing.T) {
	engine := newEngine(t, breaks)
	_, err := connect(t, engine.URL).Poll(soon(t), PollRequest{WorkerID: "w", JobTypes: []string{"a"}})
	if err == nil || len(engine.seen()) != 1 {
		t.Errorf("%v after %d requests", err, len(engine.seen()))
	}
}

func TestARefusalForGoodIsNotRepeated(t *testing.T) {
	body := `{"error":"bad-request","message":"no","requestId":"r9",
		"details":[{"path":"$.a","message":"wrong","hint":"b"}]}`
	engine := newEngine(t, answers(400, body))
	_, err := connect(t, engine.URL).GetInstance(soon(t), "i1")
	var refusal *Error
	if !errors.As(err, &refusal) || len(engine.seen()) != 1 {
		t.Fatalf("%v after %d requests", err, len(engine.seen()))
	}
	want := &Error{
		Code: CodeBadRequest, Status: 400, Message: "no", RequestID: "r9",
		Details: []Violation{{Path: "$.a", Message: "wrong", Hint: "b"}},
	}
	if !reflect.DeepEqual(refusal, want) || refusal.Retryable() || !IsCode(err, CodeBadRequest) {
		t.Errorf("%+v", refusal)
	}
}

func TestRetryAfterIsKept(t *testing.T) {
	body := `{"error":"backpressure","message":"full","requestId":"r"}`
	engine := newEngine(t, answers(503, body, "Retry-After", "7"))
	_, err := connect(t, engine.URL).Enqueue(soon(t), EnqueueJob{Type: "a"}, MaxAttempts(1))
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.RetryAfter != 7*time.Second || !refusal.Retryable() {
		t.Fatal(err)
	}
	if pause := pauseBefore(err, 1, 3); pause != 7*time.Second {
		t.Errorf("another address has the same queue: paused %v", pause)
	}
}

func TestSeveralAddresses(t *testing.T) {
	t.Run("the next address is used when one cannot be reached, and stays in use", func(t *testing.T) {
		second := newEngine(t, answers(200, anInstance))
		client := connect(t, noEngine(t)+","+second.URL)
		for range 3 {
			if _, err := client.GetInstance(soon(t), "i1"); err != nil {
				t.Fatal(err)
			}
		}
		if at, _ := client.wire.use(); at != 1 || len(second.seen()) != 3 {
			t.Errorf("at address %d, %d requests", at, len(second.seen()))
		}
	})
	t.Run("an engine that is not there for a while is left for the next", func(t *testing.T) {
		first, second := newEngine(t, answers(503, unavailable)), newEngine(t, answers(200, anInstance))
		if _, err := connect(t, first.URL+","+second.URL).GetInstance(soon(t), "i1"); err != nil {
			t.Error(err)
		}
	})
	t.Run("a poll that broke lets the next one go to the next address", func(t *testing.T) {
		first, second := newEngine(t, breaks), newEngine(t, answers(200, `{"jobs":[]}`))
		client := connect(t, first.URL+","+second.URL)
		request := PollRequest{WorkerID: "w", JobTypes: []string{"a"}}
		if _, err := client.Poll(soon(t), request); err == nil {
			t.Error("the broken poll succeeded")
		}
		if _, err := client.Poll(soon(t), request); err != nil {
			t.Error(err)
		}
	})
	t.Run("a refusal does not change the address", func(t *testing.T) {
		first, second := newEngine(
			t,
			answers(404, `{"error":"not-found","message":"no"}`),
		), newEngine(
			t,
			answers(200, anInstance),
		)
		if _, err := connect(t, first.URL+","+second.URL).GetInstance(soon(t), "i1"); !IsCode(err, CodeNotFound) {
			t.Error(err)
		}
	})
}

func TestAddressesAreChecked(t *testing.T) {
	for address, want := range map[string]string{
		"":                                "an address is needed",
		"127.0.0.1:8080":                  "an address is needed",
		"ftp://127.0.0.1":                 `not "ftp://"`,
		"http://127.0.0.1,grpc://1.1.1.1": "of different schemes",
		"grpc://127.0.0.1:9090":           `import _ "github.com/millrace/millrace/sdks/go/grpctransport"`,
	} {
		if _, err := New(address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", address, err)
		}
	}
	addresses, err := parseAddresses("http://a:1/base/, b:2")
	if err != nil || addresses[0].String() != "http://a:1/base" || addresses[1].String() != "http://b:2" {
		t.Error(addresses, err)
	}
}

func TestWhatEveryRequestCarries(t *testing.T) {
	engine := newEngine(t, answers(200, anInstance))
	ctx := ContextWithTrace(soon(t), TraceContext{Traceparent: "00-aa-bb-01", Tracestate: "x=y"})
	if _, err := connect(t, engine.URL, WithAPIKey("mill_k")).GetInstance(ctx, "a/b c"); err != nil {
		t.Fatal(err)
	}
	request := engine.seen()[0]
	for name, want := range map[string]string{
		"Authorization": "Bearer mill_k", "User-Agent": "millrace-go/" + Version, "Traceparent": "00-aa-bb-01",
		"Tracestate": "x=y", "Accept": "application/json", "Content-Type": "", "Idempotency-Key": "",
	} {
		if got := request.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if request.path != "/v1/instances/a%2Fb%20c" {
		t.Error(request.path)
	}
}

func TestWarningsAreLoggedOnce(t *testing.T) {
	engine := newEngine(t, answers(200, anInstance, "Warning", `299 - "unknown field \"nmae\", did you mean \"name\"?"`))
	var logged bytes.Buffer
	client := connect(t, engine.URL, logInto(&logged))
	for range 2 {
		if _, err := client.GetInstance(soon(t), "i1"); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Count(logged.String(), "did you mean") != 1 || strings.Contains(logged.String(), "299") {
		t.Error(logged.String())
	}
}

func TestAnOldServerIsNamed(t *testing.T) {
	refused := `{"error":"method-not-allowed","message":"no"}`
	engine := newEngine(t, answers(405, refused, "Millrace-Version", "0.0.9"))
	client := connect(t, engine.URL)
	_, err := client.RetryInstance(soon(t), "i1", nil)
	var old *ServerTooOldError
	if !errors.As(err, &old) || old.Server != "0.0.9" || client.ServerVersion() != "0.0.9" {
		t.Fatal(err)
	}
	if !strings.Contains(err.Error(), "upgrade the engine") || !IsCode(err, CodeMethodNotAllowed) {
		t.Error(err)
	}
	route := newEngine(
		t,
		answers(404, `{"error":"not-found","message":"there is no such route"}`, "Millrace-Version", "0.0.9"),
	)
	if _, err := connect(t, route.URL).Overview(soon(t)); !errors.As(err, &old) {
		t.Error(err)
	}
	same := newEngine(t, answers(405, refused, "Millrace-Version", Version))
	if _, err := connect(t, same.URL).RetryInstance(soon(t), "i1", nil); errors.As(err, &old) {
		t.Errorf("an engine of this version is not too old: %v", err)
	}
}

func TestAWrongAddressSaysWhereEnginesAre(t *testing.T) {
	noRoute := `{"error":"not-found","message":"there is no such route"}`
	for _, answer := range []http.HandlerFunc{
		answers(404, "404 page not found"), answers(404, noRoute),
		// So does the port for metrics answer.
		answers(404, noRoute, "Millrace-Version", Version),
	} {
		address := newEngine(t, answer).URL
		_, err := connect(t, address).GetInstance(soon(t), "i1")
		var refusal *Error
		asks := "is " + address + " the right address"
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), asks) || !strings.Contains(err.Error(), portAdvice) {
			t.Error(err)
		}
	}
	missing := newEngine(t, answers(404, `{"error":"not-found","message":"there is no instance i1"}`))
	if _, err := connect(t, missing.URL).GetInstance(soon(t), "i1"); strings.Contains(err.Error(), "8080") {
		t.Error(err)
	}
}

func TestTheCallersContextEndsACall(t *testing.T) {
	arrived := make(chan struct{}, 1)
	hangs := func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}
	engine := newEngine(t, hangs)
	ctx, cancel := context.WithCancel(soon(t))
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := connect(t, engine.URL).GetInstance(ctx, "i1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(soon(t), 20*time.Millisecond)
	defer cancel()
	if _, err := connect(t, engine.URL).GetInstance(ctx, "i1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestAnAttemptThatHangsIsRepeated(t *testing.T) {
	hangs := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	engine := newEngine(t, hangs, answers(200, anInstance))
	if _, err := connect(t, engine.URL, WithAttemptTimeout(time.Second)).GetInstance(soon(t), "i1"); err != nil {
		t.Error(err)
	}
}

func TestAWrongKeySaysWhatToDo(t *testing.T) {
	engine := newEngine(t, answers(401, `{"error":"unauthenticated","message":"no such key"}`))
	for key, want := range map[string]string{
		"":       "give the client a key with millrace.WithAPIKey; `millrace keys create` makes one",
		"mill_x": "check the key of millrace.WithAPIKey; `millrace keys list` shows which there are",
	} {
		_, err := connect(t, engine.URL, WithAPIKey(key)).GetInstance(soon(t), "i1")
		if !IsCode(err, CodeUnauthenticated) || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}

func TestAnAnswerThatIsNoEnginesIsMalformed(t *testing.T) {
	engine := newEngine(t, answers(200, "<html>"))
	_, err := connect(t, engine.URL).GetInstance(soon(t), "i1", MaxAttempts(1))
	var failure *TransportError
	if !errors.As(err, &failure) || failure.Kind != Malformed {
		t.Error(err)
	}
	proxy := newEngine(t, answers(502, "<html>"))
	_, err = connect(t, proxy.URL).GetInstance(soon(t), "i1", MaxAttempts(1))
	if !IsCode(err, "http-502") || !IsRetryable(err) {
		t.Error(err)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	engine := newEngine(t, answers(307, "", "Location", "http://elsewhere/"))
	_, err := connect(t, engine.URL, WithAPIKey("k")).GetInstance(soon(t), "i1")
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Location != "http://elsewhere/" {
		t.Error(err)
	}
}

func TestPagesAreWalked(t *testing.T) {
	engine := newEngine(t,
		answers(200, `{"items":[{"id":"1"},{"id":"2"}],"nextCursor":"c"}`), answers(200, `{"items":[{"id":"3"}]}`))
	var ids []string
	failed := ListInstancesQuery{Status: InstanceStatusFailed}
	for instance, err := range connect(t, engine.URL).Instances(soon(t), failed) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, instance.ID)
	}
	paths := engine.seen()[0].path + " " + engine.seen()[1].path
	if strings.Join(ids, "") != "123" || paths != "/v1/instances?status=FAILED /v1/instances?cursor=c&status=FAILED" {
		t.Error(ids, paths)
	}
}

func TestJobCallsNeedAWorkerID(t *testing.T) {
	engine := newEngine(t, answers(204, ""))
	if err := connect(t, engine.URL).Complete(soon(t), CompleteJob{JobID: "j"}); !errors.Is(err, errNoWorkerID) {
		t.Error(err)
	}
	if err := connect(t, engine.URL, WithWorkerID("mine")).Complete(soon(t), CompleteJob{JobID: "j"}); err != nil {
		t.Error(err)
	}
	if body := engine.seen()[0].body; body != `{"jobId":"j","workerId":"mine"}` {
		t.Error(body)
	}
}

func TestStreamsNeedGRPC(t *testing.T) {
	engine := newEngine(t, answers(204, ""))
	_, err := connect(t, engine.URL).StreamJobs(soon(t), OpenStream{WorkerID: "w"})
	if err == nil || !strings.Contains(err.Error(), "grpc://") {
		t.Error(err)
	}
}
