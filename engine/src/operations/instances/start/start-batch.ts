// Starts in batches: all of a batch are planned and written in one transaction.
import type { Outcome, Patience } from "../../../db/batcher.ts"
import { hasSqlState } from "../../../db/errors.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { NEWER_VERSION } from "../../../store/definitions/definitions.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { ensureQueuesOf } from "../apply-plans.ts"
import { planNew, viewOf } from "./planned-start.ts"
import { prepareAgain } from "./prepare-start.ts"
import { planAlike, writeAlike } from "./start-alike.ts"
import type { PreparedStart, Started } from "./start-request.ts"
import { takeKeys } from "./take-keys.ts"
import { writeListIntakes } from "./write-list-intakes.ts"
import { writeStarts } from "./write-starts.ts"

/** Within one transaction. The outcomes are in the order of the starts; a refused start has written nothing. */
export async function startAll(
  kernel: Kernel,
  tx: Transaction,
  prepared: readonly PreparedStart[],
): Promise<readonly Outcome<Started>[]> {
  const model = planAlike(kernel, prepared)
  const alike = model && (await writeAlike(kernel, tx, { model, prepared }))
  if (alike) return alike
  const starts = model && prepared.length === 1 ? [model] : prepared.map((start) => planNew(kernel, start))
  await ensureQueuesOf(
    kernel,
    starts.map((start) => start.planned),
  )
  const lists = starts.filter(isListIntake)
  if (lists.length > 0) writeListIntakes(kernel, tx, lists)
  const others = lists.length > 0 ? starts.filter((start) => !isListIntake(start)) : starts
  const settled = await takeKeys(tx, others)
  const accepted = others.filter((start) => !settled.has(start))
  if (accepted.length > 0) writeStarts(kernel, tx, accepted)
  return starts.map((start) => settled.get(start) ?? { value: { instance: viewOf(start), isRepeat: false } })
}

/** Intake of a list is a single INSERT. A list with `events` also writes its events, so it goes the way of all other starts. */
const isListIntake = ({ prepared }: { readonly prepared: PreparedStart }): boolean =>
  prepared.intakeKey !== undefined && prepared.definition.isList && !prepared.definition.definition.events

const startBatch =
  (operation: "start" | "intake") => async (kernel: Kernel, prepared: readonly PreparedStart[], patience: Patience) => {
    kernel.metrics.batchSize.observe({ operation }, prepared.length)
    const done = kernel.metrics.transactionDuration.startTimer({ tx_type: operation })
    try {
      return await startWithLatest(kernel, prepared, patience)
    } finally {
      done()
    }
  }

/** A batch that was planned with a version which is no longer the latest is planned again. */
async function startWithLatest(kernel: Kernel, prepared: readonly PreparedStart[], patience: Patience) {
  for (let starts = prepared; ; ) {
    try {
      return await kernel.db.transaction((tx) => startAll(kernel, tx, starts), patience)
    } catch (error) {
      if (!hasSqlState(error, NEWER_VERSION)) throw error
      starts = await Promise.all(starts.map((start) => prepareAgain(kernel, start)))
    }
  }
}

const sizeOf = ({ input }: PreparedStart): number => input.length

/** Only keys can be held by another transaction. */
const hasKey = ({ request, intakeKey }: PreparedStart): boolean =>
  intakeKey !== undefined || request.requestKey !== undefined || request.businessKey !== undefined

export const starts = batched<PreparedStart, Started>({
  run: startBatch("start"),
  flights: 2,
  sizeOf,
  contends: hasKey,
})

/** One flight: a spike of intakes makes the largest batches that way. */
export const intakes = batched<PreparedStart, Started>({ run: startBatch("intake"), flights: 1, sizeOf })
