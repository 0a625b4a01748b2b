// The span around one attempt at a job, in the trace of the request that asked for it: what the handler does is within it.
import { type Attributes, errorType, failSpan, openSpan, runWithin, type Span } from "../../support/spans.ts"
import type { Attempt } from "./attempt.ts"
import type { Outcome } from "./outcome.ts"
import type { RunningJob } from "./running-job.ts"

/** Only while a tracer is registered. */
export async function attemptInSpan(attempt: Attempt, job: RunningJob): Promise<Outcome | undefined> {
  const { jobType, trace } = job
  const span = openSpan({ name: `job ${jobType}`, kind: "consumer", parent: trace, attributes: attributesOf(job) })
  // One whose time is over, or whose lease is lost, is not waited for.
  const abandon = () => {
    failSpan(span, errorType(job.signal.reason))
    span.end()
  }
  job.signal.addEventListener("abort", abandon, { once: true })
  try {
    const outcome = await runWithin(span, () => attempt(job))
    if (outcome && !job.signal.aborted) tell(span, outcome)
    return outcome
  } catch (error) {
    if (!job.signal.aborted) failSpan(span, errorType(error))
    throw error
  } finally {
    job.signal.removeEventListener("abort", abandon)
    if (!job.signal.aborted) span.end()
  }
}

function tell(span: Span, outcome: Outcome): void {
  span.setAttribute("millrace.outcome", outcome.verb)
  if (outcome.verb !== "fail") return
  span.setAttribute("millrace.retryable", outcome.retryable)
  failSpan(span, undefined)
}

const attributesOf = (job: RunningJob): Attributes => ({
  "messaging.system": "millrace",
  "messaging.operation.type": "process",
  "messaging.destination.name": job.jobType,
  "messaging.message.id": job.id,
  "millrace.job.type": job.jobType,
  "millrace.job.id": job.id,
  "millrace.attempt": job.attempt,
  "millrace.priority": job.priority,
  ...(job.instanceId === ""
    ? {}
    : {
        "millrace.instance.id": job.instanceId,
        "millrace.step.id": job.stepId,
        "millrace.definition.id": job.definitionId,
      }),
})
