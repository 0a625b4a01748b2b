// A client and a worker as existing ones are: stubs with the numbers below 100 or raw REST, no token, metadata, deadline
// or heartbeat, polls of 64 every 500 ms. It speaks the control protocol as far as the old contract can say it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/millrace/millrace/sdks/go/cmd/conformance/control"
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
