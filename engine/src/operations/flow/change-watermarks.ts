// The watermarks of the gates: where each shuts and opens, another choice at run time, and back to the configuration.

import { PRIORITIES } from "../../model/definitions/definition.ts"
import type { GateName, Watermarks } from "../../model/flow/gate.ts"
import { listWatermarks, setWatermarks as setRows, type WatermarkViewRow } from "../../store/flow/watermarks.ts"
import { unprocessable } from "../../support/errors.ts"
import { isoTime } from "../instances/instance-view.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { type Applied, changeLive, type LastChange, type Operator } from "./change-live.ts"
import { gatesOf } from "./gates.ts"
import { watermarksOf } from "./read-depths.ts"

export const GATES = [...PRIORITIES, "total"] as const satisfies readonly GateName[]

interface GateView extends Watermarks, LastChange {
  readonly source: "database" | "config"
}

type MarksView = Readonly<Record<GateName, GateView>>
export type NewMarks = Readonly<Partial<Record<GateName, Watermarks>>>

export async function getWatermarks(kernel: Kernel): Promise<MarksView> {
  const rows = await listWatermarks(kernel.db)
  const views = rows.map((row) => {
    const source = row.high === null && row.low === null ? "config" : "database"
    return [row.name, { ...watermarksOf(kernel.settings, row), source, ...changeOf(row) }] as const
  })
  return Object.fromEntries(GATES.map((name) => [name, new Map(views).get(name)])) as MarksView
}

const changeOf = ({ changed_at, changed_by }: WatermarkViewRow) =>
  changed_at === null || changed_by === null ? {} : { changedAt: isoTime(changed_at), changedBy: changed_by }

/** Gates that are not named keep what they have. */
export function setWatermarks(kernel: Kernel, operator: Operator, marks: NewMarks): Promise<Applied<undefined>> {
  check(marks)
  const named = GATES.filter((name) => marks[name] !== undefined)
  return change(kernel, operator, named, marks, undefined)
}

const RESET = { reset: true, source: "config" } as const

export const resetWatermarks = (kernel: Kernel, operator: Operator): Promise<Applied<typeof RESET>> =>
  change(kernel, operator, GATES, {}, RESET)

const change = <View>(
  kernel: Kernel,
  operator: Operator,
  names: readonly GateName[],
  marks: NewMarks,
  view: View,
): Promise<Applied<View>> =>
  changeLive(kernel, operator, async (tx) => {
    const configured = (name: GateName) => watermarksOf(kernel.settings, { name, high: null, low: null })
    const turned = await setRows(
      tx,
      names.map((name) => ({ name, marks: marks[name], inForce: marks[name] ?? configured(name) })),
    )
    tx.afterCommit(() => {
      for (const { name, shut } of turned) gatesOf(kernel).heard(name, shut)
    })
    return {
      view,
      change: turned.length > 0 ? { kind: "watermarks", name: "queues", detail: view ?? marks } : undefined,
    }
  })

/** A gate that opens where it shuts would flap. */
function check(marks: NewMarks): void {
  const violations = GATES.filter((name) => {
    const given = marks[name]
    return given !== undefined && given.low >= given.high
  }).map((name) => ({ path: `$.${name}.low`, message: "must be below high", hint: "a fifth of it is a good start" }))
  const [first] = violations
  if (first) throw unprocessable(`${first.path} ${first.message}`, violations)
}
