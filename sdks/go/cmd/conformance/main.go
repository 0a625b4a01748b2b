// The conformance program of the Go SDK: a client and a worker that do what lines of JSON on standard input say.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/millrace/millrace/sdks/go/cmd/conformance/control"
	_ "github.com/millrace/millrace/sdks/go/grpctransport"
)

func main() {
	os.Exit(run())
}

func run() int {
	terminated, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	program := newProgram()
	ended := make(chan error, 1)
	go func() { ended <- control.Serve(os.Stdin, os.Stdout, program) }()
	select {
	case err := <-ended:
		if errors.Is(err, control.ErrNotJSON) {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	case <-terminated.Done():
	}
	return program.end()
}
