// Folds the deltas of the queues' depths into one number per queue and per gate, and turns the gates. Only the leader of the meter does.

import type { Transaction } from "../../db/transaction.ts"
import { type GateName, turnGate } from "../../model/flow/gate.ts"
import {
  type FoldRow,
  foldDeltas,
  type GateRow,
  lockGates,
  moveFold,
  recountDepths,
  setGates,
} from "../../store/flow/depths.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { moveMark, type Taken, UNMARKED } from "./fold-mark.ts"
import { gatesOf } from "./gates.ts"
import { watermarksOf } from "./read-depths.ts"

const BATCH = 10_000
const GATES = 4
/** While deltas may come below the mark. */
const LOOK_BACK_EVERY_MS = 10_000
const RECOUNT_EVERY_MS = 3_600_000

export class DepthFolder {
  readonly #kernel: Kernel
  #mark = UNMARKED
  /** The gates as last seen: an enqueue can turn one too, and the difference is logged here. */
  #shut: ReadonlySet<GateName> | undefined
  #lookedBackAt = 0
  #recountAt = 0

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** True when there may be more. */
  async fold(proveTerm: ProveTerm): Promise<boolean> {
    await this.#recount(proveTerm)
    const from = this.#start()
    return this.#kernel.db.transaction(async (tx) => {
      const gates = await lockAll(tx, proveTerm)
      // Another transaction has locked a gate: the deltas stay, and every reader of depths adds them up.
      if (!gates) return false
      const row = await foldDeltas(tx, from, BATCH)
      this.#turn(tx, gates, row)
      this.#move(tx, { from, ...row })
      return row.deltas === BATCH
    })
  }

  /** Deltas may have come below the mark, where no pulse sees them, and it is time to look. */
  get isOwed(): boolean {
    const { safe, after } = this.#mark
    return after > safe && this.#kernel.clock.nowMs() - this.#lookedBackAt >= LOOK_BACK_EVERY_MS
  }

  #start(): number {
    if (!this.isOwed) return this.#mark.after
    this.#lookedBackAt = this.#kernel.clock.nowMs()
    return this.#mark.safe
  }

  #move(tx: Transaction, taken: Taken): void {
    const moved = moveMark(this.#mark, taken, this.#kernel.clock.nowMs())
    if (moved.after > this.#mark.after) moveFold(tx, moved.after)
    tx.afterCommit(() => {
      this.#mark = moved
    })
  }

  #turn(tx: Transaction, gates: readonly GateRow[], row: FoldRow): void {
    const turned = gates.map((gate) => {
      const live = gate.live + addedTo(gate, row)
      return { ...gate, live, shut: turnGate(gate.shut, live, watermarksOf(this.#kernel.settings, gate)) }
    })
    const changed = turned.filter((gate, n) => gate.live !== gates[n]?.live || gate.shut !== gates[n]?.shut)
    if (changed.length > 0) setGates(tx, changed)
    tx.afterCommit(() => this.#note(turned))
  }

  #note(gates: readonly GateRow[]): void {
    const shut = new Set(gates.filter((gate) => gate.shut).map((gate) => gate.name))
    const before = this.#shut ?? shut
    for (const gate of gates) if (gate.shut !== before.has(gate.name)) this.#log(gate)
    this.#shut = shut
    gatesOf(this.#kernel).heardAll(shut)
  }

  #log(gate: GateRow): void {
    const fields = { gate: gate.name, depth: gate.live, ...watermarksOf(this.#kernel.settings, gate) }
    if (gate.shut)
      this.#kernel.log.warn(fields, "a gate was shut: new jobs are refused until the depth is below the low mark")
    else this.#kernel.log.info(fields, "a gate was opened: new jobs are taken again")
  }

  /**
   * Deltas do not drift, but a process of a version before them appends none, and while versions are exchanged both run. One
   * snapshot, and the lock of the gates: no fold can come between.
   */
  async #recount(proveTerm: ProveTerm): Promise<void> {
    const now = this.#kernel.clock.nowMs()
    if (now < this.#recountAt) return
    // Set first: a count that fails must not keep the deltas from being folded.
    this.#recountAt = now + RECOUNT_EVERY_MS
    // The next fold reads from the beginning: what is counted must not depend on the mark either.
    this.#mark = UNMARKED
    const mended = await this.#kernel.db.transaction(async (tx) =>
      (await lockAll(tx, proveTerm)) ? recountDepths(tx) : 0,
    )
    if (mended > 0) this.#kernel.log.warn({ counters: mended }, "depth counters were wrong and have been set right")
  }
}

/** All gates, or nothing: they are also the lock of the fold. */
async function lockAll(tx: Transaction, proveTerm: ProveTerm): Promise<readonly GateRow[] | undefined> {
  const [, gates] = await Promise.all([proveTerm(tx), lockGates(tx)])
  return gates.length === GATES ? gates : undefined
}

const addedTo = ({ name }: GateRow, row: FoldRow): number =>
  name === "total" ? row.critical + row.high + row.normal : row[name]
