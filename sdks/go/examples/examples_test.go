// Package examples runs every example against an engine of this repository, over REST and over gRPC.
package examples

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var outputs = map[string]string{
	"first-worker":   "COMPLETED Hello, Ada!\n",
	"order-workflow": "42 COMPLETED R-42 <nil> \n4200 COMPLETED R-4200 true \n0 FAILED <nil> <nil> nothing to charge\n",
	"user-task":      "WAITING [approve]\nCOMPLETED true\n",
	"signal":         "WAITING [paid]\nCOMPLETED R-1\nsignalled before\n",
}

func TestExamples(t *testing.T) {
	if os.Getenv("MILLRACE_FULL_TESTS") == "" {
		t.Skip("needs Node and the built engine: MILLRACE_FULL_TESTS=1 runs it")
	}
	rest, grpc := startEngine(t)
	built := t.TempDir()
	build := exec.Command("go", "build", "-o", built, "./...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range outputs {
		for _, url := range []string{rest, grpc} {
			t.Run(name+" at "+strings.SplitN(url, ":", 2)[0], func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				example := exec.CommandContext(ctx, filepath.Join(built, name))
				example.Env = append(os.Environ(), "MILLRACE_URL="+url, "MILLRACE_REST_URL="+rest)
				example.Stderr = os.Stderr
				out, err := example.Output()
				if err != nil || string(out) != want {
					t.Errorf("%v\n%q\n%q", err, out, want)
				}
			})
		}
	}
}

// startEngine gives the addresses of an engine that ends with the test.
func startEngine(t *testing.T) (rest, grpc string) {
	t.Helper()
	cli, err := filepath.Abs("../../../engine/dist/cli.js")
	if err != nil {
		t.Fatal(err)
	}
	engine := exec.Command("node", cli, "dev")
	engine.Dir = t.TempDir()
	engine.Env = append(os.Environ(), "WE_REST_PORT=0", "WE_GRPC_PORT=0", "WE_METRICS_PORT=0")
	out, err := engine.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = engine.Process.Signal(syscall.SIGTERM)
		_ = engine.Wait()
	})
	return readBanner(t, bufio.NewScanner(out))
}

func readBanner(t *testing.T, lines *bufio.Scanner) (rest, grpc string) {
	t.Helper()
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 2 && words[0] == "REST" {
			rest = words[1]
		}
		if len(words) >= 2 && words[0] == "gRPC" {
			grpc = "grpc://" + strings.TrimPrefix(words[1], "grpc://")
		}
		if len(words) > 0 && words[0] == "Database" {
			go func() {
				for lines.Scan() {
				}
			}()
			return rest, grpc
		}
	}
	t.Fatal("the engine ended before it was running")
	return "", ""
}
