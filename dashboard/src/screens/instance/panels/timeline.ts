// The rows of the timeline: one for each execution, with the attempts inside it.
import type { Definition } from "../../../api/definitions.ts"
import type { StepExecution } from "../../../api/instance.ts"
import type { Instance } from "../../../api/instances.ts"
import { durationText } from "../../../kit/time.tsx"
import { stepName } from "../drawn-definition.ts"

export interface TimelineRow {
  readonly id: string
  readonly stepId: string
  readonly name: string
  readonly status: StepExecution["status"]
  readonly startedAt: number
  /** Undefined while it is open. */
  readonly endedAt: number | undefined
  /** Where attempts ended that did not end the step. */
  readonly breaks: readonly { readonly at: number; readonly words: string }[]
  readonly workerId: string | undefined
}

export const rowsOf = (definition: Definition, history: readonly StepExecution[]): readonly TimelineRow[] =>
  history.map((execution) => ({
    id: execution.id,
    stepId: execution.stepId,
    name: nameOf(definition, execution),
    status: execution.status,
    startedAt: Date.parse(execution.startedAt),
    endedAt: execution.endedAt === undefined ? undefined : Date.parse(execution.endedAt),
    breaks: (execution.attempts ?? []).map(({ attempt, outcome, endedAt }) => ({
      at: Date.parse(endedAt),
      words: `attempt ${attempt} ${outcome}`,
    })),
    workerId: execution.workerId,
  }))

const nameOf = (definition: Definition, { stepId, attemptNumber }: StepExecution): string =>
  `${stepName(definition, stepId)}${attemptNumber > 1 ? `, execution ${attemptNumber}` : ""}`

export interface Piece {
  readonly key: string
  readonly from: number
  readonly to: number
  /** An attempt that did not end the step. */
  readonly isBroken: boolean
}

/** The bar of a row, attempt by attempt. */
export function piecesOf({ startedAt, breaks }: TimelineRow, end: number): readonly Piece[] {
  const broken = breaks.map(({ at, words }, index) => {
    return { key: words, from: breaks[index - 1]?.at ?? startedAt, to: at, isBroken: true }
  })
  return [...broken, { key: "last", from: breaks.at(-1)?.at ?? startedAt, to: end, isBroken: false }]
}

export interface Span {
  readonly from: number
  readonly to: number
  /** Where something began or ended. */
  readonly moments: readonly number[]
}

/** From the start to the end, or to now. What is true to the clock of the engine may be a little ahead of ours. */
export function spanOf(instance: Instance, rows: readonly TimelineRow[], now: number): Span {
  const from = Date.parse(instance.startedAt)
  const moments = rows.flatMap(({ startedAt, endedAt, breaks }) => [
    startedAt,
    ...(endedAt === undefined ? [] : [endedAt]),
    ...breaks.map(({ at }) => at),
  ])
  const end = instance.completedAt === undefined ? now : Date.parse(instance.completedAt)
  return { from, to: moments.reduce((last, ms) => Math.max(last, ms), Math.max(end, from + 1)), moments }
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
})

/** All of a row, in words. */
export const rowWords = (row: TimelineRow, now: number): string => `${row.name} · ${timesOf(row, now)}`

export function timesOf({ status, startedAt, endedAt, breaks, workerId }: TimelineRow, now: number): string {
  const took = durationText((endedAt ?? now) - startedAt)
  const times = `${CLOCK.format(startedAt)} to ${endedAt === undefined ? "now" : CLOCK.format(endedAt)}`
  return [
    endedAt === undefined ? "open" : status.toLowerCase(),
    `${times} (${took})`,
    ...breaks.map(({ at, words }) => `${words} at ${CLOCK.format(at)}`),
    ...(workerId === undefined ? [] : [`by ${workerId}`]),
  ].join(" · ")
}
