package millrace

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// received is a request as an engine got it.
type received struct {
	method string
	path   string
	header http.Header
	body   string
}

// scriptedEngine answers its requests one after the other as its script says, and all later ones like the last.
type scriptedEngine struct {
	*httptest.Server
	mu       sync.Mutex
	requests []received
	script   []http.HandlerFunc
}

func newEngine(t *testing.T, script ...http.HandlerFunc) *scriptedEngine {
	t.Helper()
	engine := &scriptedEngine{script: script}
	engine.Server = httptest.NewServer(http.HandlerFunc(engine.serve))
	t.Cleanup(engine.Close)
	return engine
}

func (e *scriptedEngine) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	e.requests = append(e.requests, received{r.Method, r.URL.RequestURI(), r.Header, string(body)})
	answer := e.script[min(len(e.requests), len(e.script))-1]
	e.mu.Unlock()
	answer(w, r)
}

func (e *scriptedEngine) seen() []received {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]received{}, e.requests...)
}

// answers with a status, a body, and headers by pairs.
func answers(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// breaks the connection without an answer.
func breaks(w http.ResponseWriter, _ *http.Request) {
	connection, _, _ := w.(http.Hijacker).Hijack()
	_ = connection.Close()
}

const (
	anInstance = `{"id":"i1","definitionId":"order","definitionVersion":1,"status":"ACTIVE",
		"currentStepIds":["a"],"variables":{}}`
	unavailable = `{"error":"unavailable","message":"later","requestId":"r1"}`
)

func connect(t *testing.T, address string, options ...Option) *Client {
	t.Helper()
	client, err := New(address, append([]Option{WithLogger(slog.New(slog.DiscardHandler))}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func logInto(out *bytes.Buffer) Option {
	return WithLogger(slog.New(slog.NewTextHandler(out, nil)))
}

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// noEngine is an address at which nothing listens.
func noEngine(t *testing.T) string {
	t.Helper()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	return closed.URL
}
