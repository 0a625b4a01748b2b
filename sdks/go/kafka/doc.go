// Package kafka has the worker of an engine that dispatches through Kafka (WE_DISPATCH_MODE=kafka_outbox): one consumer
// for each job type, outcomes reported by the client that is given.
//
// A message counts as handled when the engine has answered its report. It may be delivered again before that, so
// handlers are idempotent.
package kafka
