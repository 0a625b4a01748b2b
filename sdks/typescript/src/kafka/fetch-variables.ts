// Asks the engine for the variables of a dispatch whose message had no room for them.
import type { Job } from "../client/job-types.ts"
import type { Variables } from "../generated/wire.ts"
import type { RunnerSettings } from "../worker/runner-options.ts"

/** Rejects with `lease-lost` where the dispatch is not the job's latest any more. */
export async function fetchVariables(
  { client, workerId, leaseSeconds }: Pick<RunnerSettings, "client" | "workerId" | "leaseSeconds">,
  { id, leaseToken }: Job,
  signal: AbortSignal,
): Promise<Variables> {
  const request = { workerId, leaseSeconds, leaseToken, withVariables: true }
  const { variables } = await client.heartbeat(id, request, { signal, maxAttempts: 1 })
  if (!variables) throw new Error("the engine brings no variables with a heartbeat: it is older than this SDK")
  return variables
}
