// The singleton loops, each led by one process at a time.
import type { Transaction } from "../../db/transaction.ts"

export const LOOPS = [
  "reaper",
  "timers",
  "releaser",
  "limits",
  "chains",
  "requests",
  "schedules",
  "bulk",
  "meter",
  "housekeeper",
] as const
/** The relay of one sink of events: led by one of the processes that can send to it. */
export type SinkLoop = `sink:${string}`
/** Where jobs are pushed through Kafka: what publishes them, and what follows the consumers. */
export const PUSH_LOOPS = ["dispatcher", "dispatch-watch"] as const
/** Where jobs are polled: what takes back the dispatches that a relay has left. */
export const RETURN_LOOP = "dispatch-return"
export type DispatchLoop = (typeof PUSH_LOOPS)[number] | typeof RETURN_LOOP
export type LoopName = (typeof LOOPS)[number] | SinkLoop | DispatchLoop

/** Proves, within its transaction, that this process still leads the loop; throws when it does not. */
export type ProveTerm = (tx: Transaction) => Promise<void>

/** A busy engine folds its depths about four times a second. */
export const METER_MS = 250
