// Package control is the loop of a conformance program: commands come in as lines of JSON, answers go out as such.
// conformance/control-protocol.md says what they mean.
package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Command is one line of input.
type Command struct {
	ID   json.RawMessage `json:"id"`
	Do   string          `json:"do"`
	With json.RawMessage `json:"with"`
}

// Refusal is an error as the protocol has it.
type Refusal struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// Program does what commands say. Do may be called by several goroutines at once.
type Program interface {
	Do(name string, with json.RawMessage) (any, error)
	// Explain says an error of Do as the protocol has it.
	Explain(err error) Refusal
}

// ErrNotJSON ends a program whose input is not what the protocol says.
var ErrNotJSON = errors.New("a line of input is not JSON")

const longestLine = 64 << 20

// Serve answers commands until the input ends. Commands are answered as they end, not in order.
func Serve(in io.Reader, out io.Writer, program Program) error {
	answers := &writer{out: out}
	var underWay sync.WaitGroup
	defer underWay.Wait()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var command Command
		if err := json.Unmarshal(lines.Bytes(), &command); err != nil {
			return fmt.Errorf("%w: %v", ErrNotJSON, err)
		}
		underWay.Go(func() { answers.write(answer(program, command)) })
	}
	return lines.Err()
}

func answer(program Program, command Command) map[string]any {
	value, err := program.Do(command.Do, command.With)
	if err != nil {
		return map[string]any{"id": command.ID, "error": program.Explain(err)}
	}
	return map[string]any{"id": command.ID, "ok": value}
}

type writer struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *writer) write(answer map[string]any) {
	text, err := json.Marshal(answer)
	if err != nil {
		refusal := Refusal{Code: "client", Message: err.Error()}
		text, _ = json.Marshal(map[string]any{"id": answer["id"], "error": refusal})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.out.Write(append(text, '\n'))
}

// Read reads what a command comes with, and refuses fields that it does not know.
func Read[T any](with json.RawMessage) (T, error) {
	var value T
	if len(with) == 0 {
		return value, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(with))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&value)
	return value, err
}
