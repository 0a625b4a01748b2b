// Publishes claimed jobs and writes down what became of each message, in one transaction under the leader's term.
import { topicOf } from "../../../model/jobs/dispatch-topic.ts"
import { KAFKA_WORKER, parseToken } from "../../../model/jobs/reports.ts"
import { deleteDispatches, holdDispatched, markByReference, markPublished } from "../../../store/jobs/dispatches.ts"
import { liveSettingsOf } from "../../flow/live-settings.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { ProveTerm } from "../../kernel/loops.ts"
import { reportJob } from "../end/report-jobs.ts"
import type { Publication } from "./broker.ts"
import type { Dispatch } from "./claim-dispatches.ts"
import { dispatchingOf } from "./dispatching.ts"

/** How long a job is kept back whose topic is missing, or does not take it. */
const HOLD_MS = 10_000

type Outcome = Dispatch & { readonly said: Publication }

/** The job types of which a message may not be there yet: it is sent again later. */
export async function publishDispatches(
  kernel: Kernel,
  proveTerm: ProveTerm,
  dispatches: readonly Dispatch[],
): Promise<ReadonlySet<string>> {
  const { options, metrics } = dispatchingOf(kernel)
  if (!options || dispatches.length === 0) return new Set()
  const measured = metrics?.batchLatency.startTimer()
  const said = await options.broker.publish(dispatches.map(({ message }) => message))
  measured?.()
  for (const { kind } of said) {
    metrics?.published.inc({ result: kind })
    if (kind !== "written") metrics?.producerErrors.inc({ code: kind })
  }
  const outcomes = dispatches.map((one, at): Outcome => ({ ...one, said: said[at] ?? NOT_SAID }))
  for (const outcome of outcomes.filter((one) => one.said.kind === "too-large" && !goesByReference(kernel, one)))
    await failTooLarge(kernel, outcome)
  await mark(kernel, proveTerm, outcomes)
  if (outcomes.some((one) => one.said.kind === "no-topic"))
    await dispatchingOf(kernel)
      .refresh()
      .catch(() => {})
  return new Set(outcomes.filter((one) => isSentAgain(kernel, one)).map(({ message }) => message.job.jobType))
}

const NOT_SAID: Publication = { kind: "unknown", reason: "Kafka did not say what became of it" }

const isSentAgain = (kernel: Kernel, one: Outcome): boolean =>
  one.said.kind === "retry" || one.said.kind === "unknown" || goesByReference(kernel, one)

/** Once: an empty message that is too large would be sent for ever. */
const goesByReference = (kernel: Kernel, { said, message }: Outcome): boolean =>
  said.kind === "too-large" && !message.byReference && liveSettingsOf(kernel).sendsReference(message.job.jobType)

async function mark(kernel: Kernel, proveTerm: ProveTerm, outcomes: readonly Outcome[]): Promise<void> {
  const places = outcomes.flatMap(({ key, said }) =>
    said.kind === "written" ? [{ ...key, partition: said.partition, log_offset: said.offset }] : [],
  )
  const referred = outcomes.filter((one) => goesByReference(kernel, one)).map(({ key }) => key)
  const failed = outcomes.filter((one) => one.said.kind === "too-large" && !goesByReference(kernel, one))
  const held = outcomes.flatMap(heldOf)
  if (places.length + referred.length + failed.length + held.length === 0) return
  await kernel.db.transaction(async (tx) => {
    await proveTerm(tx)
    if (places.length > 0) markPublished(tx, places)
    if (referred.length > 0) markByReference(tx, referred)
    if (held.length > 0) holdDispatched(tx, held)
    if (failed.length > 0)
      deleteDispatches(
        tx,
        failed.map(({ key }) => key),
      )
  })
}

function heldOf({ key, said }: Outcome) {
  if (said.kind !== "no-topic" && said.kind !== "refused") return []
  return [{ ...key, reason: said.reason, delay_ms: HOLD_MS }]
}

/** The instance fails, or the standalone job is a dead letter: another attempt would bring the same. */
async function failTooLarge(kernel: Kernel, { message: { job }, said }: Outcome): Promise<void> {
  const bytes = Buffer.byteLength(job.variables)
  const why = said.kind === "too-large" ? said.reason : ""
  await reportJob(kernel, {
    jobId: job.id,
    workerId: KAFKA_WORKER,
    token: parseToken(job.leaseToken),
    actor: "engine",
    verb: "fail",
    retryable: false,
    message: `its ${bytes} bytes of variables do not fit into a message of ${topicOf(job.jobType)} (${why})`,
  })
}
