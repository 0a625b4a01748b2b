// What to change when a connection for REST fails: nothing listens there, or it speaks something else.

package millrace

import (
	"crypto/tls"
	"errors"
	"io"
	"net/url"
	"strings"
	"syscall"
)

const restPort = "the REST port (8080 unless told otherwise)"

// restAdvice is put behind the reason; it is empty where the cause is not known.
func restAdvice(err error, address *url.URL) string {
	advice := restCause(err, address)
	if advice == "" {
		return ""
	}
	return ": " + advice
}

func restCause(err error, address *url.URL) string {
	text, host := err.Error(), address.Host
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return "its certificate is not trusted: name the authority that signed it with millrace.WithTLS"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "is the engine running, and is this " + restPort + "?"
	case saysAnyOf(text, "server gave HTTP response to HTTPS client", "first record does not look like a TLS handshake"):
		return "it does not speak TLS: use http://" + host + ", if that is " + restPort
	case strings.Contains(text, `malformed HTTP response "\x15\x03`):
		return "it speaks TLS: use https://" + host
	// The second is what net/http says of a server that speaks first, as HTTP/2 servers do.
	case saysAnyOf(text, `malformed HTTP response "\x00`, "readLoopPeekFailLocked: %!w(<nil>)"):
		return "it speaks gRPC: use grpc://" + host + ", or " + restPort
	case address.Scheme == "http" && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return "if it speaks TLS, use https://" + host
	}
	return ""
}

func saysAnyOf(text string, signs ...string) bool {
	for _, sign := range signs {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
