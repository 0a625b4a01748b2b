// Instances as a table, and one of them fact by fact with its steps.
import type { wire } from "@millrace/sdk"
import { drawSteps, type ShownRun } from "./run-steps.ts"
import { statusStyle } from "./status-styles.ts"
import { type Canvas, facts, table } from "./table.ts"
import { count, moment, relative, took } from "./times.ts"
import { waitsOf, wholeFact } from "./waits-picture.ts"

export function drawInstances(page: wire.InstancePage, canvas: Canvas): readonly string[] {
  const { items, total, totalIsExact, nextCursor } = page
  if (items.length === 0) return ["There are no such instances."]
  const now = Date.now()
  const rows = table<wire.Instance>(
    [
      { title: "ID", of: ({ id }) => id },
      { title: "DEFINITION", of: ({ definitionId }) => definitionId, style: () => "bold", cutTo: 12 },
      { title: "STATUS", of: ({ status }) => status, style: ({ status }) => statusStyle(status) },
      { title: "KEY", of: ({ key, businessKey }) => key ?? businessKey, cutTo: 8, ifAny: true },
      { title: "STARTED", of: ({ startedAt }) => relative(startedAt, now), align: "right" },
      { title: "TOOK", of: (one) => took(lengthMs(one, now)), align: "right", extra: true },
      { title: "AT", of: whereOf, cutTo: 12, extra: true },
    ],
    items,
    canvas,
  )
  if (nextCursor === undefined) return rows
  const more = `${totalIsExact ? "" : "over "}${count(total - items.length)}`
  return [...rows, `… and ${more} more: raise --limit, or narrow it with --definition, --status or --since`]
}

const lengthMs = ({ startedAt, completedAt }: wire.Instance, nowMs: number): number =>
  (completedAt === undefined ? nowMs : Date.parse(completedAt)) - Date.parse(startedAt)

/** Where it stands, or why it failed. */
const whereOf = ({ currentStepIds, failureReason }: wire.Instance): string => failureReason ?? currentStepIds.join(", ")

export function drawInstance(run: ShownRun, canvas: Canvas): readonly string[] {
  const steps = drawSteps(run, canvas, Date.now())
  const lines = factsOf(run, canvas)
  return steps.length === 0 ? lines : [...lines, "", ...steps]
}

function factsOf(instance: ShownRun, canvas: Canvas): readonly string[] {
  const { status, startedAt, completedAt, currentStepIds: at } = instance
  const when = (time: string) => `${moment(time)} (${relative(time, Date.now())})`
  const length = took(lengthMs(instance, Date.now()))
  return facts(
    [
      ["Instance", instance.id],
      ["Status", status, statusStyle(status)],
      ["Definition", `${instance.definitionId} version ${instance.definitionVersion}`],
      ["Priority", instance.priority],
      ["Key", instance.key],
      ["Business key", instance.businessKey],
      ["Linking id", instance.linkingId],
      ["At", at.length === 0 ? undefined : at.join(", ")],
      ...waitsOf(instance.waiting, canvas),
      ...wholeFact(["Failure", instance.failureReason], canvas),
      ["Variables", instance.variables],
      ["Started", when(startedAt)],
      ["Ended", completedAt === undefined ? undefined : `${when(completedAt)}, after ${length}`],
      ["Parent", instance.restartOf === undefined ? instance.parentId : undefined],
      ["Next", instance.next && `${instance.next.instanceId} of ${instance.next.definitionId}`],
      ["Restart of", instance.restartOf],
      ["Restarted as", instance.restartedAs],
      ["Undone by", instance.undoneBy],
    ],
    canvas,
  )
}
