// What the main thread and the heartbeat thread say to each other.
import type { EngineClientOptions } from "../client/engine-client-options.ts"
import type { LeasedJob, LeaseSpan, LeaseTerms } from "./lease.ts"

/** A number per kept lease: the same job may be held twice, once with a token that is already stale. */
export type LeaseNumber = number

export interface ThreadSetup {
  readonly client: Pick<EngineClientOptions, "url" | "restUrl" | "apiKey">
  readonly terms: LeaseTerms
}

export type ToThread =
  | { readonly kind: "keep"; readonly lease: LeaseNumber; readonly job: LeasedJob; readonly span: LeaseSpan }
  | { readonly kind: "release"; readonly lease: LeaseNumber }

export type FromThread =
  | { readonly kind: "extended"; readonly lease: LeaseNumber; readonly span: LeaseSpan }
  | { readonly kind: "lost"; readonly lease: LeaseNumber; readonly message: string; readonly refused: boolean }
  | { readonly kind: "warning"; readonly fields: Readonly<Record<string, unknown>>; readonly message: string }
