// Publishes what happens to instances whose definition says so: an event for each line of the audit, in the transaction of the change.
import type { Transaction } from "../../db/transaction.ts"
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { lifeEventType } from "../../model/events/life-events.ts"
import type { AuditEntry, Plan } from "../../model/instances/plan.ts"
import type { NewEvent } from "../../store/events/events.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { appendEvents } from "./append-events.ts"

/** An instance that changes, and how. */
interface ChangedInstance {
  readonly id: string
  readonly definition: CompiledDefinition
  readonly businessKey: string | undefined
  /** Sequence number of the audit before the change. */
  readonly version: number
  readonly plan: Plan
  readonly nowMs: number
}

/** One statement for all of them; none where no definition asks for it. What has been accepted may end, however full the outbox is. */
export function publishLife(kernel: Kernel, tx: Transaction, all: readonly ChangedInstance[]): void {
  const events: NewEvent[] = []
  for (const changed of all)
    if (changed.definition.definition.events)
      for (const at of changed.plan.audit.keys()) events.push(eventOf(kernel.newId(), changed, at))
  appendEvents(kernel, tx, events)
}

function eventOf(id: string, { definition, plan, version, nowMs, ...instance }: ChangedInstance, at: number): NewEvent {
  const { kind, actor, detail } = plan.audit[at] as AuditEntry
  const payload = {
    instanceId: instance.id,
    definitionId: definition.id,
    definitionVersion: definition.version,
    ...(instance.businessKey === undefined ? {} : { businessKey: instance.businessKey }),
    sequence: version + at + 1,
    kind,
    status: plan.status,
    at: new Date(nowMs).toISOString(),
    actor,
    detail,
  }
  return {
    id,
    type: lifeEventType(definition.id),
    key: instance.id,
    payload: JSON.stringify(payload),
    headers: "{}",
  }
}
