// Which claims take their jobs as packs. A pack costs half of what rows cost when a worker takes many jobs at once; for a few jobs it
// costs as much, and rows are simpler.
import type { Queue } from "../../flow/queue-registry.ts"
import { type Kernel, perKernel } from "../../kernel/kernel.ts"

/** What one claim has met in a queue. */
interface Met {
  readonly packed: number
  /** Jobs that are not plain, which a pack cannot hold. */
  readonly passed: number
}

/** So many claims leave a queue to the rows whose jobs are mostly not plain. */
const CLAIMS_WITHOUT = 100

export class Packing {
  readonly #from: number
  /** Whether all processes on this database know of packs. */
  #isKnown = true
  readonly #without = new Map<number, number>()

  /** `from`: the least number of jobs for one worker that become a pack; 0 for none. */
  constructor(from: number) {
    this.#from = from
  }

  /** The pulse tells it: a process of a version before packs could neither sweep them nor take reports on their jobs. */
  heard(isKnown: boolean): void {
    this.#isKnown = isKnown
  }

  /** `perWorker`: how many jobs a worker may be given by the claim. */
  mayPack({ id, downstream, isFair }: Queue, perWorker: number): boolean {
    if (!this.#isKnown || this.#from === 0 || perWorker < this.#from || isFair || downstream !== "") return false
    const without = this.#without.get(id) ?? 0
    if (without > 0) this.#without.set(id, without - 1)
    return without === 0
  }

  learn(queueId: number, { packed, passed }: Met): void {
    if (passed > packed) this.#without.set(queueId, CLAIMS_WITHOUT)
    else this.#without.delete(queueId)
  }
}

export const packingOf = perKernel((kernel: Kernel) => new Packing(kernel.settings.packFrom))
