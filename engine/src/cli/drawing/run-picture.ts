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

/** Tells what has changed since the last look, a line each. */
export function changeTeller(paint: Paint): (run: ShownRun) => readonly string[] {
  const told = new Set<string>()
  const isNew = (line: string) => !told.has(line) && told.add(line)
  return (run) => [...run.steps.flatMap(linesOf), endOf(run)].filter(isNew).map(painted(paint))
}

const painted =
  (paint: Paint) =>
  (line: string): string =>
    line.replace(/ (COMPLETED|FAILED|CANCELLED)\b/, (_, status) => ` ${paint(statusStyle(status) ?? "bold", status)}`)

type BegunStep = wire.RunStep & Begun

function linesOf(step: wire.RunStep): readonly string[] {
  const name = cellText(nameOf(step))
  const tries = (step.attempts ?? []).map(
    ({ attempt, outcome, error, endedAt }) =>
      `${moment(endedAt)}  ${name}: try ${attempt} ${outcome}: ${cellText(error)}`,
  )
  if (!hasBegun(step)) return tries
  const began = `${moment(step.startedAt)}  ${name} RUNNING`
  return step.endedAt === undefined ? [began, ...tries] : [began, ...tries, stepEnd(step, name)]
}

function stepEnd(step: BegunStep, name: string): string {
  const { endedAt, status, failureReason } = step
  const tries = triesOf(step)
  const times = tries === "" || tries === "1" ? "" : ` at try ${tries}`
  const why = failureReason === undefined ? "" : `: ${cellText(failureReason)}`
  return `${moment(endedAt)}  ${name} ${status} after ${took(tookMs(step, 0))}${times}${why}`
}

/** Where it stands while it has not ended: said once, and again when it changes. */
function endOf(run: ShownRun): string {
  const { id, status, startedAt, completedAt, failureReason } = run
  if (completedAt === undefined) return `${moment(startedAt)}  instance ${id} ${status}`
  const why = failureReason === undefined ? "" : `: ${cellText(failureReason)}`
  return `${moment(completedAt)}  instance ${id} ${status} after ${took(Date.parse(completedAt) - Date.parse(startedAt))}${why}`
}
