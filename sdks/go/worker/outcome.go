// The rules of outcome: what a handler returned, as the report that the engine gets.

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/millrace/millrace/sdks/go/internal/nesting"
	"github.com/millrace/millrace/sdks/go/millrace"
)

// outcome is a completion, or a failure with what is said of it.
type outcome struct {
	completed        bool
	variables        millrace.Variables
	retryable        bool
	message          string
	retryAfter       *float64
	downstreamStatus int
	stack            string
	bytes            int
}

// A report has to fit into a request.
const (
	longestMessage = 4000
	// No engine takes a larger request, whatever its settings.
	largestResult = 16 << 20
	// The engine keeps no more of a stack; its beginning says most.
	longestStack = 8000
)

const tooLarge = "the handler returned %d bytes of variables: return a reference to what is large"

var tooDeep = fmt.Sprintf(
	"the handler returned variables nested deeper than %d levels: return flatter ones", nesting.Most)

// A quota that is full comes back by tomorrow; a longer wait is a mistake.
const longestPushback = 24 * time.Hour

func outcomeOfReturn(variables millrace.Variables) outcome {
	text, err := json.Marshal(variables)
	if err != nil {
		return failed(fmt.Sprintf("the handler returned variables that are not JSON: %v", err), false)
	}
	if len(text) > largestResult {
		return failed(fmt.Sprintf(tooLarge, len(text)), false)
	}
	if nesting.Levels(text) > nesting.Most {
		return failed(tooDeep, false)
	}
	return outcome{completed: true, variables: variables, bytes: len(text)}
}

func outcomeOfError(err error) outcome {
	var final *NonRetryableError
	result := failed(messageOf(err), !errors.As(err, &final))
	status, after := pushbackOf(err)
	result.downstreamStatus = status
	if after > 0 {
		result.retryAfter = seconds(after)
	}
	var later *RetryAfterError
	if errors.As(err, &later) && result.retryable {
		result.retryAfter = seconds(later.After)
	}
	return result.withStack(stackOf(err))
}

func outcomeOfPanic(thrown any, stack []byte) outcome {
	return failed(fmt.Sprintf("panic: %v", thrown), false).withStack(string(stack))
}

func (o outcome) withStack(stack string) outcome {
	o.stack = clean(stack, longestStack)
	o.bytes += len(o.stack)
	return o
}

// stackOf gives what an error prints of itself with %+v: by custom, errors that know where they were made add their
// stack there. Most errors of Go know none.
func stackOf(err error) (stack string) {
	defer func() {
		if recover() != nil {
			stack = ""
		}
	}()
	var detailed fmt.Formatter
	if !errors.As(err, &detailed) {
		return ""
	}
	if text := fmt.Sprintf("%+v", detailed); text != err.Error() {
		return text
	}
	return ""
}

func noHandler(jobType string) outcome {
	return failed("no handler registered for "+jobType, false)
}

// refusedByEngine is for variables that the engine will not take, now or later.
func refusedByEngine(message string) outcome {
	return failed("the engine refused the result: "+message, false)
}

// unsendable is for variables that the wire cannot carry, now or later.
func unsendable(err error) outcome {
	return failed(fmt.Sprintf("the handler returned variables that cannot be sent: %v", err), false)
}

func failed(message string, retryable bool) outcome {
	text := clean(message, longestMessage)
	return outcome{retryable: retryable, message: text, bytes: len(text)}
}

func messageOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("an error of type %T, whose text cannot be read: its Error method panicked", err)
		}
	}()
	if text := err.Error(); text != "" {
		return text
	}
	return fmt.Sprintf("the handler returned an error of type %T without a message", err)
}

// clean makes text that can be stored: a failure that is refused for its text would be lost.
func clean(text string, longest int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
	if len(text) <= longest {
		return text
	}
	cut := longest
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

func seconds(d time.Duration) *float64 {
	value := d.Seconds()
	return &value
}

// pushbackOf reads from an error whether the system that was called pushed back: what Pushback says, an error that
// knows its HTTP status, or no answer in time. What the engine itself refused is no word of that system.
func pushbackOf(err error) (int, time.Duration) {
	var engine *millrace.Error
	var noEngine *millrace.TransportError
	if errors.As(err, &engine) || errors.As(err, &noEngine) {
		return 0, 0
	}
	var told *PushbackError
	if errors.As(err, &told) {
		return told.Status, min(told.After, longestPushback)
	}
	var coded interface{ StatusCode() int }
	if errors.As(err, &coded) && isPushback(coded.StatusCode()) {
		return coded.StatusCode(), waitOf(err)
	}
	var network net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout() {
		return http.StatusGatewayTimeout, 0
	}
	return 0, 0
}

func isPushback(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

func waitOf(err error) time.Duration {
	var waits interface{ RetryAfter() time.Duration }
	if errors.As(err, &waits) {
		return min(max(0, waits.RetryAfter()), longestPushback)
	}
	return 0
}
