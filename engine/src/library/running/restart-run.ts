// Restarts a run from your own process.
import { restartInstance } from "../../operations/instances/restart-instance.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { activeTrace } from "../../support/spans.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import { checkText, checkVariables } from "./check-input.ts"

export interface RestartOptions {
  /** The step to begin with: what is on record of those before it is taken over. */
  readonly from?: string | undefined
  /** Merged over what the run begins with. */
  readonly input?: object | undefined
}

export async function restartRun(kernel: Kernel, instanceId: string, options: RestartOptions): Promise<string> {
  checkKnown("restarting a run", options, ["from", "input"])
  const { from, input } = options
  if (from !== undefined) checkText(from, "from")
  const variables = input === undefined ? undefined : checkVariables(input, "the input")
  const request = { instanceId, fromStep: from, variables, actor: "local", trace: activeTrace() }
  const { instance } = await restartInstance(kernel, request)
  return instance.id
}
