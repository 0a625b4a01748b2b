// Puts into instances, as the wire shows them, the steps that runs of lists have come to: one more statement for all of a page.
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { type Standing, whereListStands } from "../../model/observability/run-steps/where-list-stands.ts"
import { listStandings, type StandingRow } from "../../store/runs/standings.ts"
import { definitionsOf, workedVersion } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { InstanceView } from "./instance-view.ts"

/** A run with more steps on record is shown by the name of its workflow: what a row costs does not grow with them. */
const LOOKED_AT = 200

/** An open step of a run that has the name of its workflow is the run as a whole. */
export async function withCurrentSteps(
  kernel: Kernel,
  views: readonly InstanceView[],
): Promise<readonly InstanceView[]> {
  const lists = await listsAmong(kernel, views)
  if (lists.size === 0) return views
  const standings = byRun(await listStandings(kernel.db, [...lists.keys()], LOOKED_AT))
  return Promise.all(
    views.map(async (view) => {
      const started = lists.get(view.id)
      const rows = standings.get(view.id) ?? []
      return started ? withSteps(view, await workedVersion(kernel, started, rows), rows) : view
    }),
  )
}

async function listsAmong(kernel: Kernel, views: readonly InstanceView[]) {
  const found = new Map<string, CompiledDefinition>()
  for (const { id, definitionId, definitionVersion, currentStepIds } of views) {
    if (!currentStepIds.includes(definitionId)) continue
    const definition = await definitionsOf(kernel).version(definitionId, definitionVersion)
    if (definition?.isList) found.set(id, definition)
  }
  return found
}

function byRun(rows: readonly StandingRow[]): ReadonlyMap<string, readonly StandingRow[]> {
  const found = new Map<string, StandingRow[]>()
  for (const row of rows) {
    const mine = found.get(row.instance_id)
    if (mine) mine.push(row)
    else found.set(row.instance_id, [row])
  }
  return found
}

function withSteps(view: InstanceView, definition: CompiledDefinition, rows: readonly StandingRow[]): InstanceView {
  if (rows.length >= LOOKED_AT) return view
  const steps = whereListStands(definition, standingOf(rows))
  if (steps.length === 0) return view
  const others = view.currentStepIds.filter((stepId) => stepId !== definition.id)
  return { ...view, currentStepIds: [...new Set([...steps, ...others])] }
}

const standingOf = (rows: readonly StandingRow[]): Standing => ({
  done: namesOf(rows.filter(({ is_done }) => is_done)),
  waits: namesOf(rows.filter(({ is_waiting }) => is_waiting)),
  targets: rows.flatMap(({ went_to }) => went_to ?? []),
  isLeased: rows[0]?.job === "leased",
  failedAt: rows[0]?.failed_at ?? undefined,
})

const namesOf = (rows: readonly StandingRow[]): readonly string[] =>
  rows.flatMap(({ name }) => (name === null ? [] : [name]))
