// Keeps the leases of all running jobs, here on the main thread.
import { Lease, type LeasedJob, type LeaseEvents, type LeaseSpan, type LeaseTerms, type LeaseTools } from "./lease.ts"

export interface KeptLease {
  /** After this moment the lease is surely over. */
  readonly goneAt: number
  release(): void
}

export interface LeaseKeeper {
  keep(job: LeasedJob, span: LeaseSpan, lost: LeaseEvents["lost"]): KeptLease
  close(): Promise<void>
}

export class InlineLeaseKeeper implements LeaseKeeper {
  readonly #terms: LeaseTerms
  readonly #tools: LeaseTools

  constructor(terms: LeaseTerms, tools: LeaseTools) {
    this.#terms = terms
    this.#tools = tools
  }

  keep(job: LeasedJob, span: LeaseSpan, lost: LeaseEvents["lost"]): KeptLease {
    let goneAt = span.goneAt
    const extended = (extendedTo: LeaseSpan) => {
      goneAt = extendedTo.goneAt
    }
    const lease = new Lease(job, span, this.#terms, this.#tools, { extended, lost })
    return {
      get goneAt() {
        return goneAt
      },
      release: () => lease.release(),
    }
  }

  async close(): Promise<void> {}
}
