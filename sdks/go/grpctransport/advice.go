// What to change when a connection for gRPC fails: nothing listens there, or it speaks something else.

package grpctransport

import (
	"net/url"
	"strings"
)

const grpcPort = "the gRPC port (9090 unless told otherwise)"

// adviceOf is put behind the reason; it is empty where the cause is not known.
func adviceOf(message string, address *url.URL) string {
	advice := causeOf(message, address)
	if advice == "" {
		return ""
	}
	return ": " + advice
}

func causeOf(message string, address *url.URL) string {
	has := func(sign string) bool { return strings.Contains(message, sign) }
	host, rest := address.Host, strings.Replace(address.Scheme, "grpc", "http", 1)
	switch {
	case has("tls: failed to verify certificate"):
		return "its certificate is not trusted: name the authority that signed it with millrace.WithTLS"
	case has("connection refused"):
		return "is the engine running, and is this " + grpcPort + "?"
	case has("looked like an HTTP/1.1 header"), has("tls: no application protocol"):
		return "it speaks REST: use " + rest + "://" + host + ", or " + grpcPort
	case has("first record does not look like a TLS handshake"):
		return "it does not speak TLS: use grpc://" + host + ", if that is " + grpcPort
	case has("missing selected ALPN property"):
		return "it does not speak gRPC: use https://" + host + " if it is the REST port, or " + grpcPort
	case has("error reading server preface"):
		return "it does not speak plaintext gRPC: use grpcs://" + host + " if it speaks TLS, or " + grpcPort
	}
	return ""
}
