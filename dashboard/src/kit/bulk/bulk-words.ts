// Words of what is done to many: what they are, and what is being or was done to them.
import type { BulkAction } from "../../api/bulk.ts"
import { count } from "../numbers.ts"

export const VERB: Readonly<Record<BulkAction, string>> = {
  cancel: "Cancel",
  retry: "Retry",
  replay: "Replay",
  discard: "Discard",
}

/** Undone only by doing the work again, if at all. */
export const isDestructive = (action: BulkAction): boolean => action === "cancel" || action === "discard"

export const PRESENT: Readonly<Record<BulkAction, string>> = {
  cancel: "Cancelling",
  retry: "Retrying",
  replay: "Replaying",
  discard: "Discarding",
}

export const PAST: Readonly<Record<BulkAction, string>> = {
  cancel: "Cancelled",
  retry: "Retried",
  replay: "Replayed",
  discard: "Discarded",
}

export type Things = "instance" | "dead letter"

export const pluralOf = (things: Things, n: number): string => `${count(n)} ${things}${n === 1 ? "" : "s"}`
