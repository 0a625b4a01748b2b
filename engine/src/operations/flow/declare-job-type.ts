// What the workers of a job type declare for all its jobs, wherever those come from: a route, a schedule or another process.

import { isDeepStrictEqual } from "node:util"
import { setDefaultsOfType } from "../../store/flow/job-types.ts"
import { wasWorkflow } from "../definitions/workflow-names.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { changeLive } from "./change-live.ts"
import type { JobTypeDefaults } from "./live-settings.ts"
import { liveSettingsOf } from "./live-settings.ts"

export async function declareJobType(kernel: Kernel, name: string, defaults: JobTypeDefaults): Promise<void> {
  const said = JSON.parse(JSON.stringify(defaults)) as JobTypeDefaults
  const declared = Object.keys(said).length > 0 || (await wasWorkflow(kernel, name)) ? said : undefined
  // It is told for a name that was a workflow's, even where there is nothing to say: from now on it is a job's.
  const known = liveSettingsOf(kernel).defaultsOf(name)
  if (isDeepStrictEqual(known, declared)) return
  const text = declared ? JSON.stringify(declared) : null
  await changeLive(kernel, { actor: "worker" }, (tx) => {
    setDefaultsOfType(tx, name, text)
    return { view: undefined, change: { kind: "job-type", name, detail: said } }
  })
}
