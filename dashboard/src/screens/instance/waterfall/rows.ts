// The rows of the waterfall: one for each step that has begun, with its attempts and its wait.
import type { Definition } from "../../../api/definitions.ts"
import type { Attempt, StepExecution } from "../../../api/instance.ts"
import type { Instance } from "../../../api/instances.ts"
import { durationText, timeOfDay } from "../../../kit/time.tsx"
import { standingOfKind } from "../../../kit/waiting.ts"
import { stepName } from "../drawn-definition.ts"
import { outcomeWords } from "../step-words.ts"

export interface WaterfallRow {
  readonly id: string
  readonly stepId: string
  readonly name: string
  readonly status: StepExecution["status"]
  readonly startedAt: number
  /** When the last attempt began, where the worker reported it. */
  readonly lastAt: number | undefined
  /** Undefined while it is open. */
  readonly endedAt: number | undefined
  /** Attempts that did not end the step. */
  readonly breaks: readonly Break[]
  readonly isTolerated: boolean
  /** What it waits for, or has waited for; undefined where it works. */
  readonly wait: string | undefined
  readonly workerId: string | undefined
}

interface Break {
  readonly from: number | undefined
  readonly at: number
  /** Its worker was lost and has said nothing; others have failed or took too long. */
  readonly isLost: boolean
  readonly words: string
}

export const rowsOf = (definition: Definition, steps: readonly StepExecution[]): readonly WaterfallRow[] =>
  steps.flatMap((step) => {
    const startedAt = begunAt(step)
    if (startedAt === undefined) return []
    const { id, stepId, status, endedAt, isTolerated, workerId } = step
    return [
      {
        id,
        stepId,
        name: nameOf(definition, step),
        status,
        startedAt: Date.parse(startedAt),
        lastAt: step.startedAt === undefined || step.startedAt === startedAt ? undefined : Date.parse(step.startedAt),
        endedAt: endedAt === undefined ? undefined : Date.parse(endedAt),
        breaks: (step.attempts ?? []).map(breakOf),
        isTolerated: isTolerated === true,
        wait: waitWords(step),
        workerId,
      },
    ]
  })

/** Steps that were not reached, or of which no time is known. */
export const timelessOf = (steps: readonly StepExecution[]): readonly StepExecution[] =>
  steps.filter((step) => begunAt(step) === undefined)

/** A step of a list tells when its last attempt began; those before began earlier. */
function begunAt({ startedAt, attempts: [first] = [] }: StepExecution): string | undefined {
  const earlier = first && (first.startedAt ?? first.endedAt)
  return earlier === undefined || (startedAt !== undefined && startedAt < earlier) ? startedAt : earlier
}

const breakOf = ({ attempt, outcome, error, startedAt, endedAt, workerId }: Attempt): Break => ({
  from: startedAt === undefined ? undefined : Date.parse(startedAt),
  at: Date.parse(endedAt),
  isLost: outcome === "lost",
  words: `attempt ${attempt} ${outcomeWords(outcome)}${outcome === "lost" ? ` with ${workerId ?? "its worker"}: ${error}` : ""}`,
})

function waitWords({ wait, status }: StepExecution): string | undefined {
  if (!wait) return undefined
  const due = status === "WAITING" && wait.dueAt !== undefined ? ` until ${timeOfDay(wait.dueAt, Date.now())}` : ""
  return `${standingOfKind(wait.kind).word}${due}`
}

const nameOf = (definition: Definition, { stepId, attemptNumber }: StepExecution): string =>
  `${stepName(definition, stepId)}${attemptNumber > 1 ? `, execution ${attemptNumber}` : ""}`

export interface Piece {
  readonly key: string
  readonly from: number
  readonly to: number
  /** An attempt that did not end the step is broken off, or was lost with its worker. */
  readonly kind: "last" | "broken" | "lost"
}

/** The bar of a row, attempt by attempt. */
export function piecesOf({ startedAt, lastAt, breaks }: WaterfallRow, end: number): readonly Piece[] {
  const broken = breaks.map(({ from, at, words, isLost }, index) => {
    const kind = isLost ? ("lost" as const) : ("broken" as const)
    return { key: words, from: from ?? breaks[index - 1]?.at ?? startedAt, to: at, kind }
  })
  return [...broken, { key: "last", from: lastAt ?? breaks.at(-1)?.at ?? startedAt, to: end, kind: "last" }]
}

export interface Span {
  readonly from: number
  readonly to: number
  /** Where something began or ended. */
  readonly moments: readonly number[]
}

/** From the start to the end, or to now. What is true to the clock of the engine may be a little ahead of ours. */
export function spanOf(instance: Instance, rows: readonly WaterfallRow[], now: number): Span {
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
export const rowWords = (row: WaterfallRow, now: number): string => `${row.name} · ${timesOf(row, now)}`

export function timesOf(
  { status, startedAt, endedAt, breaks, workerId, wait, isTolerated }: WaterfallRow,
  now: number,
): string {
  const took = durationText((endedAt ?? now) - startedAt)
  const times = `${CLOCK.format(startedAt)} to ${endedAt === undefined ? "now" : CLOCK.format(endedAt)}`
  return [
    endedAt === undefined ? (wait ?? "open") : isTolerated ? "failed, the run went on" : status.toLowerCase(),
    `${times} (${took})`,
    ...breaks.map(({ at, words }) => `${words} at ${CLOCK.format(at)}`),
    ...(workerId === undefined ? [] : [`by ${workerId}`]),
  ].join(" · ")
}
