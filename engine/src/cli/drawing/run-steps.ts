// The steps of a run as rows: what each is called, how often it was tried, how long it took, and where in the run that was.
import type { wire } from "@millrace/sdk"
import { statusStyle } from "./status-styles.ts"
import { type Canvas, type Column, table } from "./table.ts"
import { took } from "./times.ts"

/** An instance with its steps, and with why it has not ended. */
export type ShownRun = wire.Instance & {
  readonly steps: readonly wire.RunStep[]
  readonly waiting?: readonly wire.WaitingReason[]
  /** Started when this one completed. */
  readonly next?: { readonly instanceId: string; readonly definitionId: string }
}

/** The smallest width of a time line. In a narrower one, a step that took no time would look as long as any other. */
const TIMELINE = 24

export function drawSteps({ steps, ...run }: ShownRun, canvas: Canvas, nowMs: number): readonly string[] {
  if (steps.length === 0) return []
  const startedMs = Date.parse(run.startedAt)
  const endedMs = run.completedAt === undefined ? nowMs : Date.parse(run.completedAt)
  const columns: readonly Column<wire.RunStep>[] = [
    { title: "STEP", of: nameOf, style: () => "bold", cutTo: 14 },
    { title: "STATUS", of: ({ status }) => status, style: ({ status }) => statusStyle(status) },
    { title: "TRIES", of: triesWords, align: "right" },
    { title: "AFTER", of: (step) => since(firstBegan(step), startedMs), align: "right", extra: true },
    { title: "TOOK", of: (step) => (hasBegun(step) ? took(tookMs(step, nowMs)) : ""), align: "right" },
    {
      title: "TIMELINE",
      of: (step) => bar(step, { startedMs, endedMs, nowMs }),
      style: ({ status }) => statusStyle(status),
      extra: true,
    },
    {
      title: "ERROR",
      of: errorOf,
      style: ({ status }) => (status === "FAILED" ? "red" : "yellow"),
      cutTo: 12,
      ifAny: true,
    },
  ]
  return table(columns, steps, canvas)
}

/** An entry that is not the first says which it is. */
export const nameOf = ({ stepId, attemptNumber }: Pick<wire.RunStep, "stepId" | "attemptNumber">): string =>
  attemptNumber > 1 ? `${stepId} #${attemptNumber}` : stepId

/** Only what a worker does can be tried again. */
export const triesOf = ({ stepType, status, attempts = [] }: wire.RunStep): string =>
  stepType === "SERVICE_TASK" && status !== "PENDING" ? String(attempts.length + 1) : ""

const isLost = ({ outcome }: wire.RunStepAttempt): boolean => outcome === "lost"

function triesWords(step: wire.RunStep): string {
  const lost = (step.attempts ?? []).filter(isLost).length
  return lost === 0 ? triesOf(step) : `${triesOf(step)} (${lost} lost)`
}

export interface Begun {
  readonly startedAt: string
  readonly endedAt?: string
}

/** A list has steps that it has not come to, and of some it is not told when they began. */
export const hasBegun = <One extends Partial<Begun>>(one: One): one is One & Begun => one.startedAt !== undefined

/** Its bar begins with its first try. */
const firstBegan = ({ startedAt, attempts = [] }: wire.RunStep): string | undefined =>
  attempts.find(hasBegun)?.startedAt ?? startedAt

const since = (startedAt: string | undefined, startedMs: number): string =>
  startedAt === undefined ? "" : took(Date.parse(startedAt) - startedMs)

export const tookMs = ({ startedAt, endedAt }: Begun, nowMs: number): number =>
  (endedAt === undefined ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt)

/** For a step that is under way: the error of its last attempt. */
export const errorOf = ({ status, failureReason, attempts = [] }: wire.RunStep): string =>
  failureReason ?? (status === "RUNNING" || status === "WAITING" ? (attempts.at(-1)?.error ?? "") : "")

interface Range {
  readonly startedMs: number
  readonly endedMs: number
  readonly nowMs: number
}

interface Piece {
  readonly mark: string
  readonly fromMs: number
  readonly toMs: number
}

/** A try that failed is lighter than the last one, and one whose worker was lost lighter still. */
function piecesOf(step: wire.RunStep, nowMs: number): readonly Piece[] {
  const tries = (step.attempts ?? []).filter(hasBegun)
  const before = tries.map((one) => piece(isLost(one) ? "░" : "▒", one, nowMs))
  const last = before.at(-1)?.toMs ?? 0
  if (!hasBegun(step)) return before
  const own = piece("█", step, nowMs)
  return [...before, { ...own, fromMs: Math.max(own.fromMs, last) }]
}

const piece = (mark: string, { startedAt, ...rest }: Begun, nowMs: number): Piece => {
  const fromMs = Date.parse(startedAt)
  return { mark, fromMs, toMs: fromMs + tookMs({ startedAt, ...rest }, nowMs) }
}

/** Each piece at least one mark wide, and never over the end. */
function bar(step: wire.RunStep, { startedMs, endedMs, nowMs }: Range): string {
  const pieces = piecesOf(step, nowMs)
  if (pieces.length === 0) return ""
  const scale = TIMELINE / Math.max(1, endedMs - startedMs)
  const marks = Array.from({ length: TIMELINE }, () => "·")
  for (const { mark, fromMs, toMs } of pieces) {
    const from = Math.min(TIMELINE - 1, Math.max(0, Math.floor((fromMs - startedMs) * scale)))
    const to = Math.min(TIMELINE, Math.max(from + 1, Math.round((toMs - startedMs) * scale)))
    marks.fill(mark, from, to)
  }
  return marks.join("")
}
