package grpctransport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

func TestTLS(t *testing.T) {
	answer := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"id":"j1"}`)) }
	rest := httptest.NewTLSServer(http.HandlerFunc(answer))
	defer rest.Close()
	authorities := x509.NewCertPool()
	authorities.AddCert(rest.Certificate())
	trust := millrace.WithTLS(&tls.Config{RootCAs: authorities})
	engine := serve(t, &server{get: func(context.Context) (*workflowv1.GetInstanceResponse, error) {
		return &workflowv1.GetInstanceResponse{Instance: anInstance()}, nil
	}}, grpc.Creds(credentials.NewServerTLSFromCert(&rest.TLS.Certificates[0])))
	address := strings.Replace(engine.address, "grpc:", "grpcs:", 1)
	client := connect(t, address, trust, millrace.WithREST(rest.URL))
	if instance, err := client.GetInstance(soon(t), "i"); err != nil || instance.ID != "i1" {
		t.Error(instance, err)
	}
	if job, err := client.GetJob(soon(t), "j1"); err != nil || job.ID != "j1" {
		t.Error(job, err)
	}
}
