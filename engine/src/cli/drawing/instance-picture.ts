// One instance, fact by fact.
import type { wire } from "@millrace/sdk"
import type { Style } from "./paint.ts"
import { type Canvas, facts } from "./table.ts"
import { moment, relative } from "./times.ts"
import { waitsOf } from "./waits-picture.ts"

/** An instance, with why it has not ended. */
export type ShownInstance = wire.Instance & { readonly waiting?: readonly wire.WaitingReason[] }

const STYLES: Readonly<Record<string, Style>> = {
  COMPLETED: "green",
  FAILED: "red",
  ACTIVE: "cyan",
  CANCELLED: "yellow",
}

export function drawInstance(instance: ShownInstance, canvas: Canvas): readonly string[] {
  const { status, startedAt, completedAt, currentStepIds: steps } = instance
  const when = (at: string) => `${moment(at)} (${relative(at, Date.now())})`
  return facts(
    [
      ["Instance", instance.id],
      ["Status", status, STYLES[status]],
      ["Definition", `${instance.definitionId} version ${instance.definitionVersion}`],
      ["Priority", instance.priority],
      ["Business key", instance.businessKey],
      ["Steps", steps.length === 0 ? undefined : steps.join(", ")],
      ...waitsOf(instance.waiting, canvas),
      ["Failure", instance.failureReason],
      ["Variables", instance.variables],
      ["Started", when(startedAt)],
      ["Ended", completedAt === undefined ? undefined : when(completedAt)],
      ["Parent", instance.parentId],
    ],
    canvas,
  )
}
