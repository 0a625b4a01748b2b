// A gRPC status as the errors of package millrace.

package grpctransport

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/millrace/millrace/sdks/go/millrace"
)

// errorOf goes by the engine's code where the status has one, and by the status where gRPC itself or a proxy made it.
func errorOf(err error, trailer metadata.MD, address *url.URL) error {
	told := status.Convert(err)
	refusal := refusalOf(told, trailer)
	if refusal.Code != "" {
		return withStatus(refusal)
	}
	switch told.Code() {
	case codes.Unavailable:
		return unavailable(err, told.Message(), address)
	case codes.DeadlineExceeded:
		message := fmt.Sprintf("no answer from %s in time", address.Host)
		return &millrace.TransportError{Kind: millrace.TimedOut, Message: message, Err: context.DeadlineExceeded}
	case codes.Canceled:
		return fmt.Errorf("%s: %w", told.Message(), context.Canceled)
	case codes.Unimplemented:
		refusal.Code, refusal.Status = millrace.CodeMethodNotAllowed, http.StatusNotImplemented
		return refusal
	case codes.Unknown:
		return &millrace.TransportError{Kind: millrace.Malformed, Message: told.Message(), Err: err}
	}
	refusal.Code = codeOf(told.Code(), refusal.RetryAfter > 0)
	return withStatus(refusal)
}

func refusalOf(told *status.Status, trailer metadata.MD) *millrace.Error {
	refusal := &millrace.Error{Message: told.Message()}
	if ids := trailer.Get("x-request-id"); len(ids) > 0 {
		refusal.RequestID = ids[0]
	}
	for _, detail := range told.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			refusal.Code = codeOfReason(detail.GetReason())
		case *errdetails.RetryInfo:
			refusal.RetryAfter = detail.GetRetryDelay().AsDuration()
		case *errdetails.BadRequest:
			refusal.Details = violationsOf(detail)
		}
	}
	return refusal
}

// codeOfReason reads NOT_FOUND, as google.rpc spells reasons, and not-found alike.
func codeOfReason(reason string) string {
	return strings.ToLower(strings.ReplaceAll(reason, "_", "-"))
}

func violationsOf(detail *errdetails.BadRequest) []millrace.Violation {
	var violations []millrace.Violation
	for _, one := range detail.GetFieldViolations() {
		violations = append(violations, violationOf(one))
	}
	return violations
}

// violationOf takes apart "message: hint": where there is a hint, the message stands beside it alone.
func violationOf(one *errdetails.BadRequest_FieldViolation) millrace.Violation {
	message := one.GetLocalizedMessage().GetMessage()
	if hint, found := strings.CutPrefix(one.GetDescription(), message+": "); found && message != "" {
		return millrace.Violation{Path: one.GetField(), Message: message, Hint: hint}
	}
	return millrace.Violation{Path: one.GetField(), Message: one.GetDescription()}
}

// withStatus gives a refusal the HTTP status of its code.
func withStatus(refusal *millrace.Error) *millrace.Error {
	if entry, ok := millrace.LookupCode(refusal.Code); ok {
		refusal.Status = entry.Status
	}
	return refusal
}

func codeOf(code codes.Code, asksToWait bool) string {
	switch code {
	case codes.InvalidArgument, codes.OutOfRange:
		return millrace.CodeBadRequest
	case codes.Unauthenticated:
		return millrace.CodeUnauthenticated
	case codes.PermissionDenied:
		return millrace.CodeForbidden
	case codes.NotFound:
		return millrace.CodeNotFound
	case codes.FailedPrecondition, codes.AlreadyExists, codes.Aborted:
		return millrace.CodeConflict
	case codes.ResourceExhausted:
		if asksToWait {
			return millrace.CodeRateLimited
		}
		return millrace.CodePayloadTooLarge
	}
	return millrace.CodeInternalError
}

// unavailable says in which way the connection failed, and what to change where the cause is a known mistake.
func unavailable(err error, message string, address *url.URL) error {
	host, advice := address.Host, adviceOf(message, address)
	kind, text := millrace.Interrupted, fmt.Sprintf("the connection to %s broke: %s", host, message)
	if advice != "" || strings.Contains(message, "connection error") || strings.Contains(message, "name resolver error") {
		kind, text = millrace.Unreachable, fmt.Sprintf("no connection to %s: %s%s", host, message, advice)
	}
	return &millrace.TransportError{Kind: kind, Message: text, Err: err}
}
