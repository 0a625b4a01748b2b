// One run while it runs: the picture for a terminal, and the lines for a log.
import type { wire } from "@millrace/sdk"
import { cellText, cut } from "./cell-text.ts"
import type { Paint } from "./paint.ts"
import { type Begun, drawSteps, hasBegun, nameOf, type ShownRun, tookMs, triesOf } from "./run-steps.ts"
import { statusStyle } from "./status-styles.ts"
import { type Canvas, facts } from "./table.ts"
import { moment, took } from "./times.ts"
import { waitsOf, wholeFact } from "./waits-picture.ts"

export function drawRun(run: ShownRun, canvas: Canvas): readonly string[] {
  const now = Date.now()
  const { width = Number.POSITIVE_INFINITY, paint } = canvas
  const ended = run.completedAt === undefined ? now : Date.parse(run.completedAt)
  const title = `${cellText(run.definitionId)} version ${run.definitionVersion}`
  const key = run.businessKey === undefined ? "" : `, key ${cellText(run.businessKey)}`
  const status = paint(statusStyle(run.status) ?? "bold", run.status)
  const below = facts(
    [...waitsOf(run.waiting, canvas), ...wholeFact(["Failure", run.failureReason, "red"], canvas)],
    canvas,
  )
  return [
    `${paint("bold", cut(title, width - 24))}  ${status}  ${took(ended - Date.parse(run.startedAt))}`,
    paint("dim", cut(`${run.id}${key}`, width)),
    "",
    ...drawSteps(run, canvas, now),
    ...(below.length === 0 ? [] : ["", ...below]),
  ]
}

interface Line {
  readonly at: string
  readonly text: string
}

/** Tells what has changed since the last look, a line each, in the order in which it happened. */
export function changeTeller(paint: Paint): (run: ShownRun) => readonly string[] {
  const told = new Set<string>()
  const isNew = (line: string) => !told.has(line) && told.add(line)
  let status: wire.InstanceStatus | undefined
  return (run) => {
    const steps = run.steps.flatMap(linesOf)
    const standing = run.status === status ? [] : standingOf(run, steps, status === undefined)
    const lines = run.status === "ACTIVE" ? [...standing, ...steps] : [...steps, ...standing]
    status = run.status
    const inOrder = lines.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    return inOrder
      .map(({ at, text }) => `${moment(at)}  ${text}`)
      .filter(isNew)
      .map(painted(paint))
  }
}

const painted =
  (paint: Paint) =>
  (line: string): string =>
    line.replace(/ (COMPLETED|FAILED|CANCELLED)\b/, (_, status) => ` ${paint(statusStyle(status) ?? "bold", status)}`)

type BegunStep = wire.RunStep & Begun

function linesOf(step: wire.RunStep): readonly Line[] {
  const name = cellText(nameOf(step))
  const tries = (step.attempts ?? []).map(({ attempt, outcome, error, endedAt }) => ({
    at: endedAt,
    text: `${name}: try ${attempt} ${outcome}: ${cellText(error)}`,
  }))
  if (!hasBegun(step)) return tries
  const { startedAt, endedAt } = step
  const end = endedAt === undefined ? [] : [{ at: endedAt, text: stepEnd(step, name) }]
  return [...tries, { at: startedAt, text: `${name} RUNNING` }, ...end]
}

function stepEnd(step: BegunStep, name: string): string {
  const { status, failureReason } = step
  const tries = triesOf(step)
  const times = tries === "" || tries === "1" ? "" : ` at try ${tries}`
  const why = failureReason === undefined ? "" : `: ${cellText(failureReason)}`
  return `${name} ${status} after ${took(tookMs(step, 0))}${times}${why}`
}

/**
 * Where it stands. That it waits is not told with a time: it was with the last thing that its steps have told. That it is active is told
 * at its start alone, for the steps are read after it and may have gone on meanwhile; when it goes on later they say so.
 */
function standingOf(run: ShownRun, steps: readonly Line[], isFirst: boolean): readonly Line[] {
  const { id, status, startedAt } = run
  if (status !== "ACTIVE") return [standstillOf(run, steps)]
  return isFirst ? [{ at: startedAt, text: `instance ${id} ACTIVE` }] : []
}

function standstillOf({ id, status, startedAt, completedAt, failureReason }: ShownRun, steps: readonly Line[]): Line {
  if (completedAt === undefined) {
    const at = steps.reduce((last, line) => (Date.parse(line.at) > Date.parse(last) ? line.at : last), startedAt)
    return { at, text: `instance ${id} ${status}` }
  }
  const why = failureReason === undefined ? "" : `: ${cellText(failureReason)}`
  const after = took(Date.parse(completedAt) - Date.parse(startedAt))
  return { at: completedAt, text: `instance ${id} ${status} after ${after}${why}` }
}
