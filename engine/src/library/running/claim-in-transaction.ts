// `claim: "transaction"`: the worker holds the run by a row lock while its steps run, and what they write commits with the outcome.
//
// The claim itself is a short transaction of its own, as ever, and counts: a payload that kills its worker cannot come back for ever.
// Then one transaction: lock the run, set a savepoint, run the steps. When they fail, what they wrote is rolled back to the savepoint
// alone, so that the lock stays; then the outcome is written and all is committed. No other worker can take the run in between.
//
// The price: a connection for every run under way, and a transaction that is open through every call the steps make, which keeps
// vacuum from cleaning up behind it. Keep such lists short; the lease does without either.

import { endingsOf } from "../../operations/instances/endings.ts"
import { reportInStep } from "../../operations/jobs/end/report-jobs.ts"
import { leaseLost } from "../../operations/runs/record-step.ts"
import { StepTransaction } from "../../operations/runs/step-transaction.ts"
import type { JsonValue } from "../../support/json.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import type { Outcome } from "./outcome.ts"
import { type AttemptTools, restart, runOrFail } from "./run-workflow.ts"
import type { RunningJob } from "./running-job.ts"

/** Reports by itself, in the steps' own transaction. */
export async function attemptInTransaction(
  tools: AttemptTools,
  list: AnyWorkflow,
  job: RunningJob,
  workerId: string,
): Promise<undefined> {
  const tx = new StepTransaction(tools.stepDb)
  try {
    if (!(await tx.hold(job.lease))) throw leaseLost(job.lease)
    const steps = (input: JsonValue) => tx.attempt(() => runSteps(tools, list, job, input, tx))
    const outcome = await runOrFail(tools, list, job, steps)
    if (!outcome) throw leaseLost(job.lease)
    await reportInStep(tools.kernel, tx, { ...outcome, jobId: job.id, token: job.token, workerId, actor: workerId })
    await tx.commit()
    endingsOf(tools.kernel).tell(job.instanceId)
  } catch (error) {
    await tx.rollback()
    tools.kernel.log.warn(
      { err: error, instanceId: job.instanceId },
      "a run was rolled back; it comes again when its lease ends",
    )
  }
}

async function runSteps(
  tools: AttemptTools,
  list: AnyWorkflow,
  job: RunningJob,
  input: JsonValue,
  tx: StepTransaction,
): Promise<Outcome> {
  const outcome = await restart(tools, list, job, input, tx)
  await tx.checkConstraints()
  return outcome
}
