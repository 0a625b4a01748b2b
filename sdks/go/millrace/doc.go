// Package millrace is the client of a Millrace engine.
//
// A client is made for an address whose scheme chooses the wire:
//
//	client, err := millrace.New("http://127.0.0.1:8080")
//
// http and https speak REST and need nothing but the standard library. grpc (plaintext) and grpcs speak gRPC once the
// package grpctransport is imported. Several addresses of engines on one database, separated by commas, are used one
// after the other when one cannot be reached.
//
// Calls that may be sent again without harm are sent again with growing pauses: reads, reports of jobs, and changes,
// which carry an idempotency key of their own. A refusal of the engine is an *Error with a code of the catalogue; no
// answer is a *TransportError.
package millrace
