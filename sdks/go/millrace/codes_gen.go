// Code generated from contracts/errors.yaml by `npm run generate`. DO NOT EDIT.

package millrace

// The codes by which the engine refuses. A newer engine may know more.
const (
	CodeBadRequest = "bad-request"

	CodeUnauthenticated = "unauthenticated"

	CodeForbidden = "forbidden"

	CodeNotFound = "not-found"

	CodeMethodNotAllowed = "method-not-allowed"

	CodeConflict = "conflict"

	CodeLeaseLost = "lease-lost"

	CodePollingDisabled = "polling-disabled"

	CodePayloadTooLarge = "payload-too-large"

	CodeUnsupportedFormat = "unsupported-format"

	CodeMisdirectedRequest = "misdirected-request"

	CodeIdempotencyMismatch = "idempotency-mismatch"

	CodeUnprocessable = "unprocessable"

	CodeRateLimited = "rate-limited"

	CodeInternalError = "internal-error"

	CodeBadGateway = "bad-gateway"

	CodeBackpressure = "backpressure"

	CodeUnavailable = "unavailable"

	CodeGatewayTimeout = "gateway-timeout"
)

var catalogue = []CataloguedCode{
	{CodeBadRequest, 400, "INVALID_ARGUMENT", false, "Correct the request as the message and details say; sending it again unchanged gives the same answer."},
	{CodeUnauthenticated, 401, "UNAUTHENTICATED", false, "Send an API key as `Authorization: Bearer mill_…`; `millrace keys create` makes one."},
	{CodeForbidden, 403, "PERMISSION_DENIED", false, "Use a key whose scopes cover this call, or call from an allowed host and origin."},
	{CodeNotFound, 404, "NOT_FOUND", false, "Check the id and the path; what was finished long ago may have been retired."},
	{CodeMethodNotAllowed, 405, "UNIMPLEMENTED", false, "Use a method that the Allow header lists."},
	{CodeConflict, 409, "FAILED_PRECONDITION", false, "Read the object again: its state does not allow this call."},
	{CodeLeaseLost, 409, "FAILED_PRECONDITION", false, "Stop working on this job: its lease ended and the result was not taken."},
	{CodePollingDisabled, 410, "FAILED_PRECONDITION", false, "Jobs are dispatched through Kafka in this deployment; consume the topic the message names."},
	{CodePayloadTooLarge, 413, "RESOURCE_EXHAUSTED", false, "Send less, as the message says. Keep large documents elsewhere and pass a reference."},
	{CodeUnsupportedFormat, 415, "INVALID_ARGUMENT", false, "Send JSON with `Content-Type: application/json`."},
	{CodeMisdirectedRequest, 421, "PERMISSION_DENIED", false, "Call the engine by an allowed host name, or add the name to WE_ALLOWED_HOSTS."},
	{CodeIdempotencyMismatch, 422, "INVALID_ARGUMENT", false, "This Idempotency-Key was used with another body: use a new key for a new request."},
	{CodeUnprocessable, 422, "INVALID_ARGUMENT", false, "Correct the fields that details names; unchanged it gives the same answer."},
	{CodeRateLimited, 429, "RESOURCE_EXHAUSTED", true, "Wait for the seconds in Retry-After."},
	{CodeInternalError, 500, "INTERNAL", false, "This is a fault of ours: report it with the request id."},
	{CodeBadGateway, 502, "UNAVAILABLE", true, "Look at the upstream: it could not be reached, or broke off before it had answered. Send again what does no harm twice."},
	{CodeBackpressure, 503, "RESOURCE_EXHAUSTED", true, "Wait for the seconds in Retry-After: the queue is above its high watermark."},
	{CodeUnavailable, 503, "UNAVAILABLE", true, "Wait for the seconds in Retry-After and send the same request again, with the same Idempotency-Key."},
	{CodeGatewayTimeout, 504, "UNAVAILABLE", true, "Look at the upstream: it did not answer in time, and may have done what it was asked. Send again what does no harm twice."},
}
