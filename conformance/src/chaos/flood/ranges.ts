// What the driver asked for and was told, range by range.
import type { Line } from "../journal.ts"
import type { PowerCuts } from "./power-cuts.ts"

export interface Range {
  readonly from: number
  readonly count: number
  readonly isAmbiguous: boolean
  /** Undefined until an answer has confirmed the jobs. */
  readonly ids: readonly string[] | undefined
  /** How often it was sent, and when last. */
  readonly sends: number
  readonly sentAt: number
}

export class Ranges {
  readonly violations: string[] = []
  readonly #cuts: PowerCuts
  readonly #ranges = new Map<number, Range>()

  constructor(cuts: PowerCuts) {
    this.#cuts = cuts
  }

  get all(): Range[] {
    return [...this.#ranges.values()].sort((a, b) => a.from - b.from)
  }

  take(line: Line): void {
    if (line.op === "bug") this.violations.push(`the driver met what must not happen: ${line.what}: ${line.error}`)
    if (line.op === "asks") {
      const { from, count } = line
      this.#ranges.set(from, { from, count, isAmbiguous: false, ids: undefined, sends: 0, sentAt: 0 })
    }
    if (line.op === "sends") this.#change(line.from, ({ sends }) => ({ sends: sends + 1, sentAt: line.at }))
    if (line.op === "unheard") this.#change(line.from, () => ({ isAmbiguous: true }))
    if (line.op === "acked") this.#acked(line)
  }

  #acked({ from, ids, at }: Extract<Line, { op: "acked" }>): void {
    this.#change(from, ({ sends, sentAt }) => {
      // For a range that was sent again, it is not known which request stored it.
      if (sends === 1) this.#cuts.committed(sentAt, at)
      return { ids }
    })
  }

  #change(from: number, change: (range: Range) => Partial<Range>): void {
    const range = this.#ranges.get(from)
    if (range) this.#ranges.set(from, { ...range, ...change(range) })
  }
}

/** For an ambiguous range: how many jobs have an id that is older than the request that was answered. */
export const thereBefore = ({ ids = [], sentAt }: Range): number => ids.filter((id) => timeOf(id) < sentAt).length

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A ULID begins with its time. */
const timeOf = (id: string): number =>
  [...id.slice(0, 10)].reduce((time, digit) => 32 * time + DIGITS.indexOf(digit), 0)
