// Starts an instance: prepare-start.ts finds its definition, start-batch.ts plans and writes it together with others.
import type { Transaction } from "../../../db/transaction.ts"
import { assert } from "../../../support/assert.ts"
import { isTracing } from "../../../support/spans.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { producing } from "../../observability/producer-span.ts"
import { prepareStart, prepareWithin } from "./prepare-start.ts"
import { startAll, starts } from "./start-batch.ts"
import type { Started, StartRequest } from "./start-request.ts"

export type { Started, StartRequest } from "./start-request.ts"

/** In a batch with others, or within the given transaction. A refusal is thrown: nothing of the start is written then. */
export function startInstance(kernel: Kernel, request: StartRequest, tx?: Transaction): Promise<Started> {
  const start = (given: StartRequest) => (tx ? startWithin(kernel, tx, given) : startInBatch(kernel, given))
  if (!isTracing()) return start(request)
  const { definitionId } = request
  return producing(request, {
    name: "start-instance",
    attributes: { "messaging.destination.name": definitionId, "millrace.definition.id": definitionId },
    work: start,
    made: ({ instance }) => ({ "millrace.instance.id": instance.id }),
  })
}

const startInBatch = async (kernel: Kernel, request: StartRequest): Promise<Started> =>
  starts(kernel).submit(await prepareStart(kernel, request))

async function startWithin(kernel: Kernel, tx: Transaction, request: StartRequest): Promise<Started> {
  const [outcome] = await startAll(kernel, tx, [await prepareWithin(kernel, tx, request)])
  assert(outcome, "a start has an outcome")
  if ("error" in outcome) throw outcome.error
  return outcome.value
}
