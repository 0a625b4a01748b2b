// Where Kafka is and how it is spoken to. Plaintext is never chosen for the user: it has to be asked for by name.

package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Transport is how brokers are spoken to.
type Transport string

const (
	// Plaintext has neither TLS nor a password.
	Plaintext Transport = "plaintext"
	// SaslScramTLS is TLS and a password.
	SaslScramTLS Transport = "sasl_scram_tls"
)

// Mechanism is how the password is proved.
type Mechanism string

const (
	// ScramSha512 is the default.
	ScramSha512 Mechanism = "SCRAM-SHA-512"
	// ScramSha256 is for brokers that know no other.
	ScramSha256 Mechanism = "SCRAM-SHA-256"
)

// Config is the Kafka that the engine dispatches through. No transport is the default, and none falls back to
// plaintext.
type Config struct {
	// Brokers such as kafka-1:9093; one is enough to find the others.
	Brokers   []string
	Transport Transport
	Username  string
	Password  string
	// Mechanism is ScramSha512 where it is empty.
	Mechanism Mechanism
	// CAPath is a file in PEM: the authority of the brokers' certificates; those of the system where it is empty.
	CAPath string
	// ServerName in the certificates, where it is not that of the address.
	ServerName string
}

// connection is the configuration as the client takes it.
func (c Config) connection() ([]kgo.Opt, error) {
	if len(c.Brokers) == 0 {
		return nil, errors.New("brokers of Kafka are needed, such as kafka-1:9093")
	}
	seeds := kgo.SeedBrokers(c.Brokers...)
	switch c.Transport {
	case Plaintext:
		if c.Username+c.Password+c.CAPath+c.ServerName != "" {
			return nil, errors.New("a user, a password, a CAPath or a ServerName is for sasl_scram_tls, not for plaintext")
		}
		return []kgo.Opt{seeds}, nil
	case SaslScramTLS:
		secured, err := c.secured()
		return append(secured, seeds), err
	}
	return nil, fmt.Errorf("the transport of Kafka must be plaintext or sasl_scram_tls, not %q", c.Transport)
}

func (c Config) secured() ([]kgo.Opt, error) {
	if c.Username == "" || c.Password == "" {
		return nil, errors.New("the transport sasl_scram_tls needs a user and a password")
	}
	proof, err := c.proof()
	if err != nil {
		return nil, err
	}
	trusted, err := c.trusted()
	if err != nil {
		return nil, err
	}
	return []kgo.Opt{kgo.SASL(proof), kgo.DialTLSConfig(trusted)}, nil
}

func (c Config) proof() (sasl.Mechanism, error) {
	auth := scram.Auth{User: c.Username, Pass: c.Password}
	switch c.Mechanism {
	case "", ScramSha512:
		return auth.AsSha512Mechanism(), nil
	case ScramSha256:
		return auth.AsSha256Mechanism(), nil
	}
	return nil, fmt.Errorf("the mechanism must be SCRAM-SHA-512 or SCRAM-SHA-256, not %q", c.Mechanism)
}

func (c Config) trusted() (*tls.Config, error) {
	config := &tls.Config{ServerName: c.ServerName, MinVersion: tls.VersionTLS12}
	if c.CAPath == "" {
		return config, nil
	}
	text, err := os.ReadFile(c.CAPath)
	if err != nil {
		return nil, fmt.Errorf("the authority of Kafka's certificates: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate in PEM", c.CAPath)
	}
	return config, nil
}

const longestTopic = 249

var topicPattern = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// topicOf fails for a job type that can have no topic.
func topicOf(jobType string) (string, error) {
	topic := "workflow.jobs." + jobType
	if strings.TrimSpace(jobType) == "" || len(topic) > longestTopic || !topicPattern.MatchString(topic) {
		return "", fmt.Errorf("the job type %q can have no topic in Kafka: letters, digits, \".\", \"_\" and \"-\" alone, "+
			"and at most %d of them with the prefix", jobType, longestTopic)
	}
	return topic, nil
}

func groupOf(jobType string) string { return "workflow.workers." + jobType }
