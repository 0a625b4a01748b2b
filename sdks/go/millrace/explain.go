// What to do about a refusal that is no word about the request: a key, a server that is too old, no engine at all.

package millrace

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

const portAdvice = "an engine has REST on 8080, gRPC on 9090 and metrics on 9091 unless told otherwise"

// noSuchRoute is how an engine says that it knows no such route; what is not there is refused in other words.
const noSuchRoute = "there is no such route"

// asked is what was called, and at which address.
type asked struct{ call, address string }

// explain turns the refusal of a call that the server does not know into one that says what to do.
func (c *Client) explain(a asked, err error) error {
	var refusal *Error
	if !errors.As(err, &refusal) {
		return err
	}
	server := c.ServerVersion()
	overGRPC := refusal.Status == http.StatusNotImplemented
	switch {
	case isUnknownCall(refusal) && (overGRPC && server == "" || olderThan(server, Version)):
		return &ServerTooOldError{Server: server, Call: a.call, Err: err}
	case refusal.Code == CodeUnauthenticated:
		return fmt.Errorf("%w: %s", err, keyAdvice(c.settings.apiKey))
	case isUnknownCall(refusal):
		// The port for metrics refuses a route alike, and is no older than the SDK.
		return fmt.Errorf("%w: is %s the right address, and the engine new enough? %s", err, a.address, portAdvice)
	case strings.HasPrefix(refusal.Code, "http-4") && server == "" && !refusal.advised:
		return fmt.Errorf("%w: this is no answer of an engine, is %s the right address? %s", err, a.address, portAdvice)
	}
	return err
}

func keyAdvice(key string) string {
	if key == "" {
		return "give the client a key with millrace.WithAPIKey; `millrace keys create` makes one"
	}
	return "check the key of millrace.WithAPIKey; `millrace keys list` shows which there are"
}

func isUnknownCall(refusal *Error) bool {
	return refusal.Code == CodeMethodNotAllowed || refusal.Status == http.StatusNotImplemented ||
		refusal.Status == http.StatusNotFound && refusal.Message == noSuchRoute
}
