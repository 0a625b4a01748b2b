// W3C trace context: where code stands in a trace, carried by a context.

package millrace

import "context"

// TraceContext is a position in a trace, by the W3C's names.
type TraceContext struct {
	Traceparent string
	Tracestate  string
}

type traceKey struct{}

// ContextWithTrace makes the calls with the returned context go on with a trace. The worker does it for its handlers.
func ContextWithTrace(ctx context.Context, trace TraceContext) context.Context {
	return context.WithValue(ctx, traceKey{}, trace)
}

// TraceFromContext is what ContextWithTrace put there, else empty.
func TraceFromContext(ctx context.Context) TraceContext {
	trace, _ := ctx.Value(traceKey{}).(TraceContext)
	return trace
}
