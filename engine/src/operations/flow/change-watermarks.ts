// The watermarks of the gates: where each shuts and opens, another choice at run time, and back to the configuration.

import type { Reader, Transaction } from "../../db/transaction.ts"
import { PRIORITIES } from "../../model/definitions/definition.ts"
import type { GateName, Watermarks } from "../../model/flow/gate.ts"
import { listWatermarks, setWatermarks as setRows, type WatermarkViewRow } from "../../store/flow/watermarks.ts"
import { unprocessable } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { changeLive, type LastChange, type Operator } from "./change-live.ts"
import { gatesOf } from "./gates.ts"
import { watermarksOf } from "./read-depths.ts"

export const GATES = [...PRIORITIES, "total"] as const satisfies readonly GateName[]

interface GateView extends Watermarks, LastChange {
  readonly source: "database" | "config"
}

export type MarksView = Readonly<Record<GateName, GateView>>
export type NewMarks = Readonly<Partial<Record<GateName, Watermarks>>>

export const getWatermarks = (kernel: Kernel): Promise<MarksView> => seeWatermarks(kernel, kernel.db)

async function seeWatermarks(kernel: Kernel, reader: Reader): Promise<MarksView> {
  const rows = await listWatermarks(reader)
  const views = rows.map((row) => {
    const source = row.high === null && row.low === null ? "config" : "database"
    return [row.name, { ...watermarksOf(kernel.settings, row), source, ...changeOf(row) }] as const
  })
  return Object.fromEntries(GATES.map((name) => [name, new Map(views).get(name)])) as MarksView
}

const changeOf = ({ changed_at, changed_by }: WatermarkViewRow) =>
  changed_at === null || changed_by === null ? {} : { changedAt: isoTime(changed_at), changedBy: changed_by }

/** Gates that are not named keep what they have. */
export function setWatermarks(kernel: Kernel, operator: Operator, marks: NewMarks): Promise<Done<MarksView>> {
  check(marks)
  const named = GATES.map((name) => ({ name, marks: marks[name] })).filter((gate) => gate.marks !== undefined)
  const work = async (tx: Transaction, at: number) => {
    const turned = await turnGates(kernel, tx, named)
    const view = await seeWatermarks(kernel, tx)
    // Who has changed them is written at the end of the transaction.
    const changed = { changedAt: isoTime(at), changedBy: operator.actor }
    const mine = Object.fromEntries(named.map(({ name }) => [name, { ...view[name], ...changed }]))
    return turned ? { view: { ...view, ...mine }, change: changeTo(marks) } : { view, change: undefined }
  }
  return changeLive(kernel, operator, { work, readOld: (_, tx) => seeWatermarks(kernel, tx) })
}

const RESET = { reset: true, source: "config" } as const

export const resetWatermarks = (kernel: Kernel, operator: Operator): Promise<Done<typeof RESET>> =>
  changeLive(kernel, operator, async (tx) => {
    const gates = GATES.map((name) => ({ name, marks: undefined }))
    const turned = await turnGates(kernel, tx, gates)
    return { view: RESET, change: turned ? changeTo(RESET) : undefined }
  })

const changeTo = (detail: NewMarks | typeof RESET) => ({ kind: "watermarks", name: "queues", detail })

interface NewGate {
  readonly name: GateName
  /** Undefined is the configuration's. */
  readonly marks: Watermarks | undefined
}

/** Whether one of them had other marks before. */
async function turnGates(kernel: Kernel, tx: Transaction, gates: readonly NewGate[]): Promise<boolean> {
  const configured = (name: GateName) => watermarksOf(kernel.settings, { name, high: null, low: null })
  const turned = await setRows(
    tx,
    gates.map(({ name, marks }) => ({ name, marks, inForce: marks ?? configured(name) })),
  )
  tx.afterCommit(() => {
    for (const { name, shut } of turned) gatesOf(kernel).heard(name, shut)
  })
  return turned.length > 0
}

/** A gate that opens where it shuts would flap. */
function check(marks: NewMarks): void {
  const violations = GATES.filter((name) => {
    const given = marks[name]
    return given !== undefined && given.low >= given.high
  }).map((name) => ({ path: `$.${name}.low`, message: "must be below high", hint: "a fifth of it is a good start" }))
  const [first] = violations
  if (first) throw unprocessable(`${first.path} ${first.message}`, violations)
}
