// The function form: at every attempt the function runs from its top, and its named calls give back what they gave before.
import type { RunStep } from "../../../model/instances/plan.ts"
import type { JsonValue } from "../../../support/json.ts"
import type { AnyWorkflow } from "../../authoring/workflow.ts"
import { checkVariables } from "../check-input.ts"
import type { Outcome } from "../outcome.ts"
import { type AttemptTools, openRecord, runOrFail } from "../run-workflow.ts"
import type { RunningJob } from "../running-job.ts"
import { FunctionRun } from "./function-run.ts"
import { WatchedRun } from "./watched-run.ts"

export async function attemptFunction(
  tools: AttemptTools,
  workflow: AnyWorkflow,
  job: RunningJob,
): Promise<Outcome | undefined> {
  let again: readonly RunStep[] = []
  const outcome = await runOrFail(tools, workflow, job, async (input) => {
    const run = new FunctionRun({ tools, job, workflow, record: await openRecord(tools, job) })
    try {
      return await runFunction(run, workflow, input)
    } catch (error) {
      again = run.toDoAgain(error)
      throw error
    } finally {
      await run.close()
    }
  })
  return outcome?.verb === "fail" ? { ...outcome, steps: again } : outcome
}

/** A function that waits never comes to its end: whichever is first, its end or its parking, is how the attempt ended. */
function runFunction(run: FunctionRun, { body }: AnyWorkflow, input: JsonValue): Promise<Outcome> {
  const watched = new WatchedRun(run)
  const ended = async (): Promise<Outcome> => {
    const result = await body?.(watched, input)
    watched.checkAwaited()
    return { verb: "complete", variables: { result: toJson(result) } }
  }
  return Promise.race([ended(), run.parked])
}

const toJson = (result: unknown): JsonValue =>
  result === undefined ? null : (checkVariables({ result }, "what the workflow returns").result ?? null)
