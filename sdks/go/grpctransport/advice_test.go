package grpctransport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

// doors are the hosts and ports of servers that speak one thing each.
type doors struct {
	rest, restTLS, closingTLS, grpc, grpcTLS, nothing string
	trusted                                           millrace.Option
}

func openDoors(t *testing.T) doors {
	t.Helper()
	rest := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(rest.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	authorities := x509.NewCertPool()
	authorities.AddCert(secure.Certificate())
	identity := grpc.Creds(credentials.NewServerTLSFromCert(&secure.TLS.Certificates[0]))
	return doors{
		rest: hostOf(rest.URL), restTLS: hostOf(secure.URL), closingTLS: closingTLS(t, secure.TLS),
		grpc: hostOf(serve(t, &server{}).address), grpcTLS: hostOf(serve(t, &server{}, identity).address),
		nothing: hostOf(closed.URL), trusted: millrace.WithTLS(&tls.Config{RootCAs: authorities}),
	}
}

func hostOf(address string) string { return address[strings.Index(address, "://")+3:] }

// closingTLS speaks TLS and, as an engine does, hangs up where plaintext comes.
func closingTLS(t *testing.T, config *tls.Config) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = connection.Close() }()
				first := make([]byte, 4096)
				if _, err := connection.Read(first); err == nil && first[0] == 0x16 {
					_ = tls.Server(connection, config).Handshake()
				}
			}()
		}
	}()
	return listener.Addr().String()
}

func TestConnectionsThatFailSayWhatToChange(t *testing.T) {
	at := openDoors(t)
	for address, want := range map[string]string{
		"http://" + at.nothing:    "is the engine running, and is this the REST port (8080 unless told otherwise)?",
		"http://" + at.grpc:       "it speaks gRPC: use grpc://" + at.grpc + ", or the REST port",
		"http://" + at.restTLS:    "the server speaks TLS here: use https://" + at.restTLS,
		"http://" + at.closingTLS: "if it speaks TLS, use https://" + at.closingTLS,
		"http://" + at.grpcTLS:    "use https://" + at.grpcTLS,
		"https://" + at.rest:      "it does not speak TLS: use http://" + at.rest + ", if that is the REST port",
		"https://" + at.restTLS:   "its certificate is not trusted: name the authority that signed it with millrace.WithTLS",
		"grpc://" + at.nothing:    "is the engine running, and is this the gRPC port (9090 unless told otherwise)?",
		"grpc://" + at.rest:       "it speaks REST: use http://" + at.rest + ", or the gRPC port",
		"grpc://" + at.restTLS:    "use grpcs://" + at.restTLS + " if it speaks TLS, or the gRPC port",
		"grpc://" + at.closingTLS: "use grpcs://" + at.closingTLS + " if it speaks TLS, or the gRPC port",
		"grpc://" + at.grpcTLS:    "it does not speak plaintext gRPC: use grpcs://" + at.grpcTLS,
		"grpcs://" + at.grpc:      "it does not speak TLS: use grpc://" + at.grpc,
		"grpcs://" + at.rest:      "it does not speak TLS: use grpc://" + at.rest,
		"grpcs://" + at.grpcTLS:   "its certificate is not trusted: name the authority that signed it with millrace.WithTLS",
	} {
		t.Run("C-104: "+address[:strings.Index(address, ":")], func(t *testing.T) {
			_, err := connect(t, address).GetInstance(soon(t), "i", millrace.MaxAttempts(1))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", address, err, want)
			}
		})
	}
}

func TestATrustedCertificateAtTheWrongPort(t *testing.T) {
	at := openDoors(t)
	for address, want := range map[string]string{
		"https://" + at.grpcTLS: "is https://" + at.grpcTLS + " the right address? an engine has REST on 8080",
		"grpcs://" + at.restTLS: "it speaks REST: use https://" + at.restTLS + ", or the gRPC port",
	} {
		_, err := connect(t, address, at.trusted).GetInstance(soon(t), "i", millrace.MaxAttempts(1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAWrongKeyOverGRPC(t *testing.T) {
	engine := serve(t, &server{get: func(context.Context) (*workflowv1.GetInstanceResponse, error) {
		return nil, status.Error(codes.Unauthenticated, "no such key")
	}})
	_, err := connect(t, engine.address, millrace.WithAPIKey("mill_x")).GetInstance(soon(t), "i")
	if !millrace.IsCode(err, millrace.CodeUnauthenticated) ||
		!strings.Contains(err.Error(), "check the key of millrace.WithAPIKey") {
		t.Error(err)
	}
}
