// What a bulk operation has left as it was: each reason once in the log, with some of the ids.
import type { EngineError } from "../../support/errors.ts"
import type { Kernel } from "./kernel.ts"

const REASONS_MAX = 10
const IDS_MAX = 10
/** Reasons that differ only in the id that they name are one. */
const IDS = /[0-9A-HJKMNP-TV-Z]{26}/g

interface Reason {
  readonly reason: string
  readonly ids: string[]
  count: number
}

export class LeftBehind {
  private readonly reasons = new Map<string, Reason>()

  note(id: string, { message }: EngineError): void {
    const kind = message.replaceAll(IDS, "…")
    const known = this.reasons.get(kind) ?? { reason: message, ids: [], count: 0 }
    if (known.count === 0 && this.reasons.size >= REASONS_MAX) return
    this.reasons.set(kind, known)
    known.count += 1
    if (known.ids.length < IDS_MAX) known.ids.push(id)
  }

  tell({ log }: Pick<Kernel, "log">, bulk: { readonly id: string; readonly action: string }): void {
    for (const told of this.reasons.values())
      log.warn({ bulkId: bulk.id, action: bulk.action, ...told }, "bulk: some were left as they were")
  }
}
