// What the program holds, and the commands about itself.

package main

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/millrace/millrace/sdks/go/cmd/conformance/control"
)

// engine makes the calls of the old contract, by their names in the control protocol.
type engine interface {
	call(name string, given fields) (json.RawMessage, error)
	close()
}

type program struct {
	bench *control.Bench

	mu     sync.Mutex
	engine engine
	worker *legacyWorker
}

func newProgram() *program { return &program{bench: control.NewBench()} }

func (p *program) Do(name string, with json.RawMessage) (any, error) {
	switch name {
	case "open":
		return nil, p.open(with)
	case "close":
		return nil, p.close()
	case "startWorker":
		return nil, p.startWorker(with)
	case "stopWorker":
		return p.stopWorker(with)
	case "handled":
		return object{"items": p.bench.Handled()}, nil
	case "release":
		given, err := control.Read[struct {
			Name string `json:"name"`
		}](with)
		p.bench.Release(given.Name)
		return nil, err
	}
	return p.call(name, with)
}

func (p *program) call(name string, with json.RawMessage) (any, error) {
	given, err := checkCall(name, with)
	if err != nil {
		return nil, err
	}
	opened, err := p.opened()
	if err != nil {
		return nil, err
	}
	if name == "poll" && given["maxJobs"] == nil {
		given["maxJobs"] = json.RawMessage("64")
	}
	answer, err := opened.call(name, given)
	if err != nil || len(answer) == 0 {
		return nil, err
	}
	return answer, nil
}

func (p *program) Explain(err error) control.Refusal {
	var refusal *refused
	if errors.As(err, &refusal) {
		return control.Refusal{Code: refusal.code, Message: refusal.message, Retryable: refusal.retryable}
	}
	return control.Refusal{Code: "client", Message: err.Error()}
}

// open takes the first of several addresses: existing clients know one.
func (p *program) open(with json.RawMessage) error {
	given, err := control.Read[map[string]string](with)
	if err != nil {
		return err
	}
	if err := only(given, "url", "restUrl"); err != nil {
		return err
	}
	first, _, _ := strings.Cut(given["url"], ",")
	address, err := url.Parse(first)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if address.Scheme == "grpc" {
		p.engine, err = openGRPC(address.Host)
		return err
	}
	p.engine = openREST(first)
	return nil
}

func (p *program) opened() (engine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine == nil {
		return nil, errors.New("open comes first")
	}
	return p.engine, nil
}

func (p *program) close() error {
	opened, err := p.opened()
	if err == nil {
		opened.close()
	}
	return err
}

func (p *program) startWorker(with json.RawMessage) error {
	given, err := control.Read[workerOptions](with)
	if err != nil {
		return err
	}
	opened, err := p.opened()
	if err != nil {
		return err
	}
	started, err := startWorker(opened, p.bench, given)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.worker = started
	return nil
}

func (p *program) stopWorker(with json.RawMessage) (any, error) {
	given, err := control.Read[struct {
		TimeoutSeconds *float64 `json:"timeoutSeconds"`
	}](with)
	timeout := 30.0
	if given.TimeoutSeconds != nil {
		timeout = *given.TimeoutSeconds
	}
	return object{"drained": p.drain(time.Duration(timeout * float64(time.Second)))}, err
}

// drain is true where there is no worker.
func (p *program) drain(patience time.Duration) bool {
	p.mu.Lock()
	running := p.worker
	p.worker = nil
	p.mu.Unlock()
	return running == nil || running.stop(patience)
}

// end drains the worker, closes the client and gives the exit code.
func (p *program) end() int {
	drained := p.drain(30 * time.Second)
	_ = p.close()
	if drained {
		return 0
	}
	return 1
}
