// Lets each event of a batch change the draft of its instance, and makes the plans.
import type { Outcome } from "../../db/batcher.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { type Draft, finishDraft, openDraft, share } from "../../model/instances/draft.ts"
import type { Instance, InstanceState } from "../../model/instances/instance.ts"
import { VariablesNeeded } from "../../model/instances/variable-sizes.ts"
import { type LockedInstanceRow, readVariables } from "../../store/instances/instances.ts"
import { assert } from "../../support/assert.ts"
import { EngineError } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { type AdvanceItem, NOT_LIVE } from "./advance-item.ts"
import type { PlannedInstance } from "./apply-plans.ts"
import { factsOf, type Locked } from "./lock-instances.ts"
import { planContext } from "./plan-context.ts"

/** What was locked, and what each event has come to. */
export interface Round {
  readonly locked: Locked
  readonly outcomes: Map<AdvanceItem<unknown>, Outcome<unknown>>
}

/** The time limit for planning one batch: its locks are held meanwhile, and this thread does nothing else. */
const PLANNING_MS = 100

export async function planInstances(
  { kernel, tx }: { readonly kernel: Kernel; readonly tx: Transaction },
  items: readonly AdvanceItem<unknown>[],
  round: Round,
): Promise<PlannedInstance[]> {
  const byInstance = groupByInstance(items)
  const planned: PlannedInstance[] = []
  const until = performance.now() + PLANNING_MS
  for (const row of round.locked.instances) {
    // The first is always planned: what has taken too long here goes alone, and comes through there.
    if (row.is_left_out || (planned.length > 0 && performance.now() > until)) round.locked.apart.add(row.id)
    if (round.locked.apart.has(row.id)) continue
    const subject = { row, definition: cachedFor(kernel, row) ?? (await readDefinition(kernel, row)) }
    const mine = byInstance.get(row.id) ?? []
    let plan = planInstance({ kernel, round }, subject, mine)
    if (plan === "variables needed") {
      const variables = await readVariables(tx, row.id)
      plan = planInstance({ kernel, round }, { ...subject, row: { ...row, variables } }, mine)
    }
    if (typeof plan === "object") planned.push(plan)
  }
  return planned
}

interface Planning {
  readonly kernel: Kernel
  readonly round: Round
}

interface Subject {
  readonly row: LockedInstanceRow
  readonly definition: CompiledDefinition
}

/** Undefined: nothing is to be written. */
function planInstance(
  { kernel, round }: Planning,
  { row, definition }: Subject,
  items: readonly AdvanceItem<unknown>[],
): PlannedInstance | "variables needed" | undefined {
  kernel.clock.observe(row.now)
  const draft = openDraft(definition, toInstance(row), planContext(kernel, Math.floor(row.now)))
  const decided = decideAll(draft, items, round)
  if (decided === "variables needed") return decided
  const isChanged = decided === "all" && (draft.version > row.version || draft.firedTimers.length > 0)
  return isChanged ? planOf(row, definition, draft) : undefined
}

function groupByInstance(items: readonly AdvanceItem<unknown>[]): Map<string, AdvanceItem<unknown>[]> {
  const groups = new Map<string, AdvanceItem<unknown>[]>()
  for (const item of items) {
    const group = groups.get(item.instanceId)
    if (group) group.push(item)
    else groups.set(item.instanceId, [item])
  }
  return groups
}

const cachedFor = (kernel: Kernel, row: LockedInstanceRow): CompiledDefinition | undefined =>
  definitionsOf(kernel).cached(row.definition_id, row.definition_version)

async function readDefinition(kernel: Kernel, row: LockedInstanceRow): Promise<CompiledDefinition> {
  const { definition_id: id, definition_version: version } = row
  const definition = await definitionsOf(kernel).version(id, version)
  assert(definition, `definition ${id}@${version} is stored`)
  return definition
}

type Decided = "all" | "variables needed" | "faulty"

/**
 * "faulty": a bug threw halfway through a draft. Nothing of this instance is written; the other instances of the batch are. Earlier
 * events of the instance are already noted as accepted, so all of its events are run again.
 */
function decideAll(draft: Draft, items: readonly AdvanceItem<unknown>[], { locked, outcomes }: Round): Decided {
  if (items.length > 1) share(draft)
  for (const item of items) {
    const outcome = decide(item, draft, locked)
    outcomes.set(item, outcome)
    if (!("error" in outcome) || outcome.error instanceof EngineError) continue
    if (outcome.error instanceof VariablesNeeded) return "variables needed"
    if (items.length > 1) locked.apart.add(draft.instance.id)
    return "faulty"
  }
  return "all"
}

function decide(item: AdvanceItem<unknown>, draft: Draft, locked: Locked): Outcome<unknown> {
  try {
    if (draft.finish) return { value: NOT_LIVE }
    return { value: item.decide(draft, factsOf(item, locked)) }
  } catch (error) {
    return { error }
  }
}

function planOf(row: LockedInstanceRow, definition: CompiledDefinition, draft: Draft): PlannedInstance {
  const { businessKey, priority } = draft.instance
  const nowMs = Math.floor(row.now)
  return { id: row.id, definition, businessKey, priority, version: row.version, plan: finishDraft(draft), nowMs }
}

function toInstance(row: LockedInstanceRow): Instance {
  return {
    id: row.id,
    status: row.status,
    priority: row.priority,
    businessKey: row.business_key ?? undefined,
    state: JSON.parse(row.state) as InstanceState,
    variables: row.variables === null ? {} : (JSON.parse(row.variables) as JsonObject),
    hasVariables: row.variables !== null,
    version: row.version,
  }
}
