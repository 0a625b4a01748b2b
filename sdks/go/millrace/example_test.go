package millrace_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// anEngine stands in for an engine in these examples.
func anEngine(status int, body string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
}

func ExampleClient_StartInstance() {
	engine := anEngine(201, `{"id":"01M7","status":"ACTIVE","currentStepIds":["charge"]}`)
	defer engine.Close()
	client, err := millrace.New(engine.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	order, err := client.StartInstance(context.Background(), millrace.StartInstance{
		DefinitionID: "order", Variables: millrace.Variables{"amount": 4200}, BusinessKey: "order-1001",
	})
	fmt.Println(order.Status, order.CurrentStepIDs, err)
	// Output: ACTIVE [charge] <nil>
}

func ExampleError() {
	engine := anEngine(409, `{"error":"conflict","message":"the instance is COMPLETED already","requestId":"r1"}`)
	defer engine.Close()
	client, err := millrace.New(engine.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	_, err = client.CancelInstance(context.Background(), "01M7", "changed my mind")
	var refusal *millrace.Error
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Code, refusal.Retryable(), refusal.RequestID)
	}
	// Output: conflict false r1
}
