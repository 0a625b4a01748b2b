// What the workers of a job type declare for all its jobs, wherever those come from: a route, a schedule or another process.
import { isDeepStrictEqual } from "node:util"
import { setDefaultsOfType } from "../../store/flow/job-types.ts"
import type { Context } from "../kernel/context.ts"
import { changeLive, type JobTypeDefaults } from "./live-settings.ts"

export async function declareJobType(ctx: Context, name: string, defaults: JobTypeDefaults): Promise<void> {
  const said = JSON.parse(JSON.stringify(defaults)) as JobTypeDefaults
  if (isDeepStrictEqual(ctx.live.defaultsOf(name) ?? {}, said)) return
  const change = { actor: "worker", kind: "job-type", name, detail: said }
  const text = Object.keys(said).length > 0 ? JSON.stringify(said) : null
  await changeLive(ctx, change, (tx) => setDefaultsOfType(tx, name, text))
}
