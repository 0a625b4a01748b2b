// Package worker claims jobs of a Millrace engine, has handlers run them and reports what came of each.
//
//	poll or stream lane ──┐ jobs
//	                      ├──────► runs (handlers, leases) ──► report lane ──► engine
//	report lane ──────────┘                                   (its answers bring jobs too)
//
// A worker is running, then draining (no new jobs; handlers finish, reports leave), then over. It asks only for as
// many jobs as it has free places, keeps each lease with heartbeats and cancels a handler's context when its lease is
// lost. A handler may run more than once for a job, its result counts once: key outside effects by a business key or
// by Job.IdempotencyKey.
package worker
