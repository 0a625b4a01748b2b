// Starts the workflows that finished ones asked for: child and record in one transaction, so there is exactly one.

import { hasSqlState } from "../../db/errors.ts"
import type { Transaction } from "../../db/transaction.ts"
import { NEWER_VERSION } from "../../store/definitions/definitions.ts"
import { insertAudit } from "../../store/instances/audit.ts"
import { finishChain, lockPendingChain, type PendingChainRow, postponeChain } from "../../store/instances/chains.ts"
import { bumpFinishedVersion } from "../../store/instances/finished-instances.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { concernsAll } from "../kernel/passing-failures.ts"
import type { InstanceView } from "./instance-view.ts"
import { startInstance } from "./start/start-instance.ts"

const MOST_AT_ONCE = 200

/** One by one: a chain that cannot start now is put off and does not hold up the others. Returns how many were looked at. */
export async function startChains(kernel: Kernel, proveTerm: ProveTerm): Promise<number> {
  for (let count = 0; count < MOST_AT_ONCE; count++) if (!(await startNext(kernel, proveTerm))) return count
  return MOST_AT_ONCE
}

async function startNext(kernel: Kernel, proveTerm: ProveTerm): Promise<boolean> {
  let chain: PendingChainRow | undefined
  try {
    await kernel.db.transaction(async (tx) => {
      await proveTerm(tx)
      chain = await lockPendingChain(tx)
      if (chain) await startChild(kernel, tx, chain)
    })
    return chain !== undefined
  } catch (error) {
    if (!chain || concernsAll(error)) throw error
    await postpone(kernel, chain, error)
    return true
  }
}

async function startChild(kernel: Kernel, tx: Transaction, chain: PendingChainRow): Promise<void> {
  const request = {
    definitionId: chain.definition_id,
    variables: JSON.parse(chain.variables) as JsonObject,
    businessKey: chain.business_key ?? undefined,
    isInherited: true,
    parentId: chain.parent_id,
    priority: chain.priority,
    actor: "engine",
    trace: chain.trace_context ?? undefined,
  }
  const { instance: child } = await startInstance(kernel, request, tx)
  finishChain(tx, chain.parent_id, child.id)
  await auditOnParent(kernel, tx, chain, child)
}

/** The parent's trail goes on after its end: it says which instance followed. */
async function auditOnParent(
  kernel: Kernel,
  tx: Transaction,
  chain: PendingChainRow,
  child: InstanceView,
): Promise<void> {
  if (!kernel.settings.auditLogEnabled) return
  const seq = await bumpFinishedVersion(tx, chain.parent_id)
  if (seq === undefined) return
  const detail = { childId: child.id, definitionId: chain.definition_id }
  insertAudit(tx, [
    {
      instanceId: chain.parent_id,
      seq,
      at: Date.parse(child.startedAt),
      entries: [{ kind: "CHAIN_STARTED", actor: "engine", detail }],
    },
  ])
}

async function postpone(kernel: Kernel, chain: PendingChainRow, error: unknown): Promise<void> {
  if (hasSqlState(error, NEWER_VERSION)) definitionsOf(kernel).forgetLatest(chain.definition_id)
  kernel.log.error(
    { err: error, parentId: chain.parent_id, definitionId: chain.definition_id },
    "the next workflow could not start; it stays pending",
  )
  await kernel.db.transaction(async (tx) => postponeChain(tx, chain.parent_id, (error as Error).message))
}
