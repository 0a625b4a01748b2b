// The history of an instance: every step with the tries before its end, or the audit trail line by line.
import type { wire } from "@millrace/sdk"
import { hasBegun, nameOf, tookMs } from "./run-steps.ts"
import { statusStyle } from "./status-styles.ts"
import { type Canvas, table } from "./table.ts"
import { moment, took } from "./times.ts"

/** A step, or one of its tries under it. */
interface Line {
  readonly name: string
  readonly status: string
  readonly at: string | undefined
  readonly took?: string
  readonly worker?: string | undefined
  readonly error?: string | undefined
  readonly output?: unknown
}

export function drawHistory({ items }: wire.RunSteps, canvas: Canvas): readonly string[] {
  const reached = items.filter(({ status }) => status !== "PENDING")
  if (reached.length === 0) return ["It has not entered a step yet."]
  const lines = reached.flatMap(linesOf)
  return table<Line>(
    [
      { title: "STEP", of: ({ name }) => name, cutTo: 14 },
      { title: "STATUS", of: ({ status }) => status, style: ({ status }) => statusStyle(status.toUpperCase()) },
      { title: "AT", of: ({ at }) => (at === undefined ? "" : moment(at)) },
      { title: "TOOK", of: (line) => line.took, align: "right" },
      { title: "ERROR", of: ({ error }) => error, cutTo: 24, style: () => "red", ifAny: true },
      { title: "WORKER", of: ({ worker }) => worker, cutTo: 10, extra: true },
      { title: "OUTPUT", of: ({ output }) => output, cutTo: 16, extra: true },
    ],
    lines,
    canvas,
  )
}

function linesOf(step: wire.RunStep): readonly Line[] {
  const { status, startedAt, workerId, failureReason, output, attempts = [] } = step
  const own = {
    name: nameOf(step),
    status,
    at: startedAt,
    took: lengthOf(step),
    worker: workerId,
    error: failureReason,
    output,
  }
  const tries = attempts.map((one) => ({
    name: `└ try ${one.attempt}`,
    status: one.outcome,
    at: one.startedAt ?? one.endedAt,
    took: lengthOf(one),
    worker: one.workerId,
    error: one.error,
  }))
  return [own, ...tries]
}

const lengthOf = (one: wire.RunStep | wire.RunStepAttempt): string =>
  hasBegun(one) ? took(tookMs(one, Date.now())) : ""

export function drawAudit({ items }: wire.AuditTrail, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["There is no audit trail: WE_AUDIT_LOG_ENABLED may be off."]
  return table<wire.AuditEntry>(
    [
      { title: "NO", of: ({ seq }) => seq, align: "right" },
      { title: "AT", of: ({ at }) => moment(at) },
      { title: "KIND", of: ({ kind }) => kind, style: () => "bold" },
      { title: "BY", of: ({ actor }) => actor, cutTo: 8 },
      { title: "DETAIL", of: ({ detail }) => (Object.keys(detail).length === 0 ? "" : detail), cutTo: 12 },
    ],
    items,
    canvas,
  )
}
