// How deep every priority and queue is, the same on every replica: folded numbers and the few deltas above them, never a count.

import { PRIORITIES, type Priority } from "../../model/definitions/definition.ts"
import type { GateName, Watermarks } from "../../model/flow/gate.ts"
import { type GateRow, type Ranges, readDepths as readRows } from "../../store/flow/depths.ts"
import { assert } from "../../support/assert.ts"
import { lowWaterOf } from "../jobs/claim/low-water.ts"
import type { Kernel, OperationSettings } from "../kernel/kernel.ts"

export interface Depth extends Watermarks {
  /** Standalone jobs: ready, delayed and leased. */
  readonly depth: number
  readonly shut: boolean
}

export interface Depths {
  readonly priorities: Readonly<Record<Priority, Depth>>
  readonly total: Depth
  /** Live jobs by queue, the steps of workflows too; queues without are left out. */
  readonly queues: ReadonlyMap<number, number>
}

export async function readDepths(kernel: Kernel): Promise<Depths> {
  const { gates, queues } = await readRows(kernel.db)
  const depthOf = (name: GateName): Depth => {
    const row = gates.find((gate) => gate.name === name)
    assert(row, `there is a gate ${name}`)
    return { depth: row.live, shut: row.shut, ...watermarksOf(kernel.settings, row) }
  }
  const priorities = Object.fromEntries(PRIORITIES.map((priority) => [priority, depthOf(priority)])) as Record<
    Priority,
    Depth
  >
  return { priorities, total: depthOf("total"), queues }
}

/** What an operator has set for a gate, else what is configured. */
export function watermarksOf(
  settings: OperationSettings,
  { name, high, low }: Pick<GateRow, "name" | "high" | "low">,
): Watermarks {
  return name === "total"
    ? { high: high ?? settings.totalHighWatermark, low: low ?? settings.totalLowWatermark }
    : { high: high ?? settings.highWatermark, low: low ?? settings.lowWatermark }
}

/** Where claims would look in these queues. */
export const rangesOf = (kernel: Kernel, queueIds: readonly number[]): Ranges => ({
  queueIds,
  after: queueIds.map((id) => lowWaterOf(kernel).peek(id)),
})
