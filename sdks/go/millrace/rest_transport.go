// REST over net/http: one request, its answer or its refusal.

package millrace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// restTransport speaks to one address.
type restTransport struct {
	endpoint Endpoint
	client   *http.Client
}

// restRequest is a request of the contract. Body and query are left out where nil.
type restRequest struct {
	method string
	path   string
	query  any
	body   any
}

const idleConnections = 64

func openREST(endpoint Endpoint) (Transport, error) {
	connections := http.DefaultTransport.(*http.Transport).Clone()
	connections.MaxIdleConnsPerHost = idleConnections
	connections.TLSClientConfig = endpoint.TLS
	// A redirect is told, not followed: the key stays with the engine it was given for.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &restTransport{endpoint: endpoint, client: &http.Client{Transport: connections, CheckRedirect: stay}}, nil
}

func (t *restTransport) Close() error {
	t.client.CloseIdleConnections()
	return nil
}

// sendREST sends a request and reads its answer as T.
func sendREST[T any](ctx context.Context, t *restTransport, call Call, request restRequest) (T, error) {
	var answer T
	body, err := t.exchange(ctx, call, request)
	if err != nil || len(body) == 0 {
		return answer, err
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		message := fmt.Sprintf("the answer to %s %s is not what the contract says: %v", request.method, request.path, err)
		return answer, &TransportError{Kind: Malformed, Message: message, Err: err}
	}
	return answer, nil
}

func (t *restTransport) exchange(ctx context.Context, call Call, request restRequest) ([]byte, error) {
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }}
	outgoing, err := t.build(httptrace.WithClientTrace(ctx, trace), call, request)
	if err != nil {
		return nil, err
	}
	incoming, err := t.client.Do(outgoing)
	if err != nil {
		return nil, t.failure(request, sent.Load(), err)
	}
	defer func() { _ = incoming.Body.Close() }()
	body, err := io.ReadAll(incoming.Body)
	if err != nil {
		return nil, t.failure(request, true, err)
	}
	t.endpoint.Told(asideOf(incoming.Header))
	if incoming.StatusCode < 200 || incoming.StatusCode > 299 {
		return nil, refusalOf(incoming, body)
	}
	return body, nil
}

func (t *restTransport) build(ctx context.Context, call Call, request restRequest) (*http.Request, error) {
	target := *t.endpoint.URL
	address := strings.TrimRight(target.String(), "/") + request.path + queryText(request.query)
	var body io.Reader
	if request.body != nil {
		text, err := json.Marshal(request.body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w: %w", request.method, request.path, ErrNotJSON, err)
		}
		body = bytes.NewReader(text)
	}
	outgoing, err := http.NewRequestWithContext(ctx, request.method, address, body)
	if err != nil {
		return nil, err
	}
	t.setHeaders(outgoing.Header, call, request.body != nil)
	return outgoing, nil
}

func (t *restTransport) setHeaders(header http.Header, call Call, hasBody bool) {
	header.Set("Accept", "application/json")
	header.Set("User-Agent", t.endpoint.UserAgent)
	if hasBody {
		header.Set("Content-Type", "application/json")
	}
	setUnlessEmpty(header, "Authorization", bearer(t.endpoint.APIKey))
	setUnlessEmpty(header, "Idempotency-Key", call.IdempotencyKey)
	setUnlessEmpty(header, "Traceparent", call.Trace.Traceparent)
	setUnlessEmpty(header, "Tracestate", call.Trace.Tracestate)
}

func setUnlessEmpty(header http.Header, name, value string) {
	if value != "" {
		header.Set(name, value)
	}
}

func bearer(key string) string {
	if key == "" {
		return ""
	}
	return "Bearer " + key
}

// queryText writes the fields of a query's struct that are not empty.
func queryText(query any) string {
	if query == nil {
		return ""
	}
	text, err := json.Marshal(query)
	if err != nil {
		return ""
	}
	fields := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&fields) != nil || len(fields) == 0 {
		return ""
	}
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, fmt.Sprint(value))
	}
	return "?" + values.Encode()
}

// failure says in which way no answer came, and what to change where the cause is a known mistake.
func (t *restTransport) failure(request restRequest, sent bool, err error) error {
	where := request.method + " " + request.path
	host := t.endpoint.URL.Host
	advice := restAdvice(err, t.endpoint.URL)
	if !sent {
		message := fmt.Sprintf("no connection to %s for %s: %v%s", host, where, rootOf(err), advice)
		return &TransportError{Kind: Unreachable, Message: message, Err: err}
	}
	message := fmt.Sprintf("the connection to %s broke during %s: %v%s", host, where, rootOf(err), advice)
	return &TransportError{Kind: Interrupted, Message: message, Err: err}
}

// rootOf leaves out the method and address that net/http puts before its errors.
func rootOf(err error) error {
	if wrapped, ok := err.(*url.Error); ok {
		return wrapped.Err
	}
	return err
}

// refusalOf reads a refusal, also one that a proxy and not the engine wrote.
func refusalOf(incoming *http.Response, body []byte) error {
	var envelope struct {
		Error     string      `json:"error"`
		Message   string      `json:"message"`
		RequestID string      `json:"requestId"`
		Details   []Violation `json:"details"`
	}
	_ = json.Unmarshal(body, &envelope)
	refusal := &Error{
		Code:       envelope.Error,
		Status:     incoming.StatusCode,
		Message:    envelope.Message,
		RequestID:  envelope.RequestID,
		Details:    envelope.Details,
		RetryAfter: secondsOf(incoming.Header.Get("Retry-After")),
		Location:   incoming.Header.Get("Location"),
	}
	if refusal.Code == "" {
		refusal.Code = fmt.Sprintf("http-%d", incoming.StatusCode)
	}
	if refusal.Message == "" {
		refusal.Message = fmt.Sprintf("the answer was %s", incoming.Status)
	}
	if refusal.Code == "http-400" && bytes.Contains(body, []byte("HTTPS")) {
		refusal.Message = "the server speaks TLS here: use https://" + incoming.Request.URL.Host
		refusal.advised = true
	}
	return refusal
}

func secondsOf(header string) time.Duration {
	seconds, err := time.ParseDuration(header + "s")
	if err != nil || seconds < 0 {
		return 0
	}
	return seconds
}

func asideOf(header http.Header) Aside {
	aside := Aside{ServerVersion: header.Get("Millrace-Version")}
	for _, value := range header.Values("Warning") {
		aside.Warnings = append(aside.Warnings, WarningText(value))
	}
	return aside
}

// WarningText is the text of a Warning such as `299 - "text"`.
func WarningText(value string) string {
	if _, text, ok := strings.Cut(value, `"`); ok {
		text = text[:max(0, strings.LastIndex(text, `"`))]
		return strings.ReplaceAll(text, `\"`, `"`)
	}
	return value
}
