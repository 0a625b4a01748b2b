// Replays or discards every dead letter that matches a filter: a bulk operation, which a dry run only previews.
import type { Reach } from "../../model/people/reach.ts"
import { countDeadMatching } from "../../store/dead-letters/dead-letters.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { type BulkView, startBulk } from "../instances/bulk-instances.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { type DeadLetterQuery, type DeadLetterView, deadFilterOf, listDeadLetters } from "./read-dead-letters.ts"

export interface DeadLetterBulkRequest {
  readonly action: "replay" | "discard"
  readonly filter: DeadLetterQuery
  readonly dryRun: boolean
  readonly actor: string
  /** What it does not go as far as does not match. */
  readonly reach: Reach
  readonly requestKey?: RequestKey | undefined
}

/** A dry run shows a few of those it is about. */
export type DeadLetterBulkView = BulkView & { readonly examples?: readonly DeadLetterView[] }

const EXAMPLES = 5

export async function createDeadLetterBulk(
  kernel: Kernel,
  request: DeadLetterBulkRequest,
): Promise<Done<DeadLetterBulkView>> {
  const query = { ...request.filter, source: sourceWithin(request.reach) }
  const filter = deadFilterOf(query)
  const [matched, examples] = await Promise.all([
    countDeadMatching(kernel.db, filter),
    request.dryRun ? listDeadLetters(kernel, query, { limit: EXAMPLES }) : undefined,
  ])
  return startBulk(kernel, request, { filter, matched, ...(examples ? { shown: { examples: examples.items } } : {}) })
}

/** A caller that may change jobs only replays and discards the letters of jobs. */
const sourceWithin = (reach: Reach): DeadLetterQuery["source"] => (reach.may("write", "instance") ? undefined : "job")
