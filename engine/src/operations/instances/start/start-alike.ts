// Starts that differ in nothing but their input: planned once, and written by one statement. A flood is mostly that.
import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { onlyMakesJobs } from "../../../model/instances/plan.ts"
import { textBytes } from "../../../model/instances/variable-sizes.ts"
import { insertAlike } from "../../../store/instances/alike-instances.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import { wakeQueues } from "../../jobs/claim/wake-queues.ts"
import { wakeupsOf } from "../../jobs/claim/wakeups.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { announcement, ensureQueuesOf, queueOf } from "../apply-plans.ts"
import { type PlannedStart, planNew, viewOf } from "./planned-start.ts"
import type { PreparedStart, Started, StartRequest } from "./start-request.ts"
import { countStarts } from "./write-starts.ts"

/** One plan for all of them: undefined where something besides the input is theirs alone. */
export function planAlike(kernel: Kernel, prepared: readonly PreparedStart[]): PlannedStart | undefined {
  const [first] = prepared
  return first && areAlike(first, prepared) ? planNew(kernel, { ...first, input: largestOf(prepared) }) : undefined
}

/** Undefined where they begin with more than a job that waits for its worker: nothing is written then. */
export async function writeAlike(
  kernel: Kernel,
  tx: Transaction,
  { model, prepared }: { readonly model: PlannedStart; readonly prepared: readonly PreparedStart[] },
): Promise<readonly Outcome<Started>[] | undefined> {
  const { plan } = model.planned
  // A step that looks at the variables is passed at once, and leaves a record: where there is none the plan fits all of them.
  const [job, another] = plan.newJobs
  if (!job || another || !onlyMakesJobs(plan)) return undefined
  await ensureQueuesOf(kernel, [model.planned])
  if (wakeupsOf(kernel).isWaited(job.jobType)) return undefined
  const ids = prepared.map(({ request }) => request.id ?? kernel.newId())
  const queueId = queuesOf(kernel).idOf(queueOf(model.planned, job))
  insertAlike(tx, {
    ids,
    inputs: prepared.map(({ input }) => input),
    row: model.row,
    audit: kernel.settings.auditLogEnabled ? plan.audit : [],
    job,
    queueId,
    isLatest: tx.isOurs && model.prepared.request.definitionVersion === undefined,
  })
  countStarts(kernel, tx, prepared)
  tx.afterCommit(announcement(kernel, [model.planned]))
  tx.afterCommit(() => wakeQueues(kernel, [queueId]))
  return answersOf(model, prepared, ids)
}

/** Nothing in them is theirs alone. A definition with `events` writes those, too. */
const areAlike = (first: PreparedStart, prepared: readonly PreparedStart[]): boolean =>
  !first.definition.definition.events && prepared.every((start) => isLike(first, start) && hasNothingOfItsOwn(start))

const isLike = (first: PreparedStart, { definition, request }: PreparedStart): boolean =>
  definition === first.definition && COMMON.every((name) => request[name] === first.request[name])

const COMMON = ["definitionVersion", "priority", "actor", "trace"] as const

const hasNothingOfItsOwn = ({ request, intakeKey }: PreparedStart): boolean =>
  intakeKey === undefined && OWN.every((name) => request[name] === undefined)

const OWN = [
  "businessKey",
  "requestKey",
  "linkingId",
  "parentId",
  "restart",
  "awaitedBy",
] as const satisfies (keyof StartRequest)[]

/** The state has a bound of the size: that of the largest is one for all. */
function largestOf(prepared: readonly PreparedStart[]): string {
  const sizes = prepared.map(({ input }) => textBytes(input))
  return prepared[sizes.indexOf(Math.max(...sizes))]?.input ?? ""
}

function answersOf(
  model: PlannedStart,
  prepared: readonly PreparedStart[],
  ids: readonly string[],
): Outcome<Started>[] {
  const common = viewOf(model)
  return prepared.map(({ request: { variables } }, at) => ({
    value: { instance: { ...common, id: ids[at] as string, variables }, isRepeat: false },
  }))
}
