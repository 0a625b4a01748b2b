// What the engine needs of Kafka to push jobs: to publish a message for each, and to learn how far its consumers have come.
import type { ClaimedJob } from "../claim/claimed-job.ts"

/** A claimed job on its way to a topic. The dedup id stays the same however often it is sent. */
export interface JobMessage {
  readonly dedupId: string
  readonly job: Omit<ClaimedJob, "lockExpiresAt">
  /** The time of the dispatch, in epoch milliseconds. */
  readonly createdAt: number
  /** The worker asks for the variables, which are too large. */
  readonly byReference: boolean
}

/** retry: it was not sent. unknown: it may be there. refused: it will never be taken. */
export type Publication =
  | { readonly kind: "written"; readonly partition: number; readonly offset: number }
  | { readonly kind: "retry" | "unknown" | "too-large" | "no-topic" | "refused"; readonly reason: string }

/** How far the consumers of a job type have come in one partition. */
export interface Progress {
  readonly jobType: string
  readonly partition: number
  /** The first offset that they have not passed; undefined where the group has none. */
  readonly committed: number | undefined
  /** The first message that is kept, and where the next one will be. */
  readonly first: number
  readonly end: number
}

export interface JobBroker {
  /** The job types that have a topic. Throws when no broker answers. */
  listTypes(): Promise<ReadonlySet<string>>
  /** One for each message, in their order; after one that was not written none of its key is sent. */
  publish(messages: readonly JobMessage[]): Promise<readonly Publication[]>
  /** Nothing for types that have no topic. Throws when no broker answers. */
  progressOf(jobTypes: readonly string[]): Promise<readonly Progress[]>
  close(): Promise<void>
}
