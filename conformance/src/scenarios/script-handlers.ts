// Handlers for the SDK under test, made from the scripts of the scenarios.
import { type Handler, HandlerRegistry, type Job, NonRetryableError } from "@millrace/sdk"
import type { HandlerScript, HandlerScripts } from "./scenario.ts"

export function scriptHandlers(scripts: HandlerScripts): HandlerRegistry {
  const registry = new HandlerRegistry()
  for (const [jobType, script] of Object.entries(scripts)) registry.register(jobType, handlerOf(script))
  return registry
}

const handlerOf =
  (script: HandlerScript): Handler =>
  (job) => {
    const message = script.message ?? "failed as told"
    if (script.fails === "for-good") throw new NonRetryableError(message)
    if (script.fails === "retryably" || job.attempt <= (script.failsFirst ?? 0)) throw new Error(message)
    return { ...script.sets, ...copied(job, script.copies ?? {}) }
  }

const copied = ({ variables }: Job, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([to, from]) => [to, variables[from]]))
