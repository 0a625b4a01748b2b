// The client: addresses, the wires to them, and what it has learned of the server.

package millrace

import (
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
)

// Client of the engines at one or several addresses. It is safe for use by several goroutines.
type Client struct {
	settings settings
	// wire has the calls that every transport has.
	wire *lanes
	// rest is the wire itself over REST, and what WithREST named over gRPC; nil where there is none.
	rest          *lanes
	serverVersion atomic.Value
	warned        sync.Map
}

// New makes a client for an address, or several separated by commas: http, https, grpc (plaintext) or grpcs. It does
// not wait for a connection; Close ends it.
func New(address string, options ...Option) (*Client, error) {
	c := &Client{settings: readOptions(options)}
	wire, err := c.open(address)
	if err != nil {
		return nil, err
	}
	c.wire = wire
	if err := c.openREST(); err != nil {
		return nil, errors.Join(err, wire.close())
	}
	return c, nil
}

func (c *Client) openREST() error {
	if c.wire.isREST() {
		c.rest = c.wire
		return nil
	}
	if c.settings.restURL == "" {
		return nil
	}
	rest, err := c.open(c.settings.restURL)
	if err != nil {
		return err
	}
	if !rest.isREST() {
		return errors.Join(fmt.Errorf("WithREST takes http or https, not %q", c.settings.restURL), rest.close())
	}
	c.rest = rest
	return nil
}

func (c *Client) open(text string) (*lanes, error) {
	addresses, err := parseAddresses(text)
	if err != nil {
		return nil, err
	}
	open, err := transportOf(addresses[0].Scheme)
	if err != nil {
		return nil, err
	}
	opened := &lanes{addresses: addresses}
	for _, address := range addresses {
		transport, err := open(c.endpoint(address))
		if err != nil {
			return nil, errors.Join(err, opened.close())
		}
		opened.transports = append(opened.transports, transport)
	}
	return opened, nil
}

func (c *Client) endpoint(address *url.URL) Endpoint {
	s := c.settings
	return Endpoint{URL: address, APIKey: s.apiKey, UserAgent: UserAgent, TLS: s.tls, Told: c.told}
}

// Close ends the connections; calls in flight fail.
func (c *Client) Close() error {
	err := c.wire.close()
	if c.rest != nil && c.rest != c.wire {
		err = errors.Join(err, c.rest.close())
	}
	return err
}

// ServerVersion is the version of the engine that answered last; empty before, and where the engine does not tell.
func (c *Client) ServerVersion() string {
	version, _ := c.serverVersion.Load().(string)
	return version
}

// told keeps the version, and logs each warning once.
func (c *Client) told(aside Aside) {
	if aside.ServerVersion != "" && aside.ServerVersion != c.ServerVersion() {
		c.serverVersion.Store(aside.ServerVersion)
	}
	for _, warning := range aside.Warnings {
		if _, known := c.warned.LoadOrStore(warning, true); !known {
			c.settings.logger.Warn("the engine warns", "warning", warning)
		}
	}
}

// lanes are the transports to the addresses of one wire, and which of them is used now.
type lanes struct {
	transports []Transport
	addresses  []*url.URL
	current    atomic.Int64
}

func (l *lanes) isREST() bool {
	_, ok := l.transports[0].(*restTransport)
	return ok
}

func (l *lanes) use() (int64, Transport) {
	at := l.current.Load()
	return at, l.transports[at%int64(len(l.transports))]
}

// address is the one that use gave out.
func (l *lanes) address(at int64) string {
	return l.addresses[at%int64(len(l.addresses))].Redacted()
}

// leave goes on to the next address, unless another call did so already.
func (l *lanes) leave(at int64) {
	l.current.CompareAndSwap(at, at+1)
}

func (l *lanes) close() error {
	errs := make([]error, 0, len(l.transports))
	for _, transport := range l.transports {
		errs = append(errs, transport.Close())
	}
	return errors.Join(errs...)
}
