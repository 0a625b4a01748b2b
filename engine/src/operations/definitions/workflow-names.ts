// Whether a name is that of a workflow, whose jobs are made by its runs alone: a job or a schedule that takes it for a type is refused.
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { badRequest, type EngineError } from "../../support/errors.ts"
import { liveSettingsOf } from "../flow/live-settings.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { definitionsOf } from "./definition-cache.ts"

type Soon<T> = T | Promise<T>

/** Its steps are run by a worker that asks for jobs of its name. */
export function isWorkflow(kernel: Kernel, name: string): Soon<boolean> {
  return isDeclaredJob(kernel, name) ? false : wasWorkflow(kernel, name)
}

/** Whether it is a workflow's name, also where workers have declared a type of jobs of that name since. */
export function wasWorkflow(kernel: Kernel, name: string): Soon<boolean> {
  const found = definitionNamed(kernel, name)
  return found instanceof Promise ? found.then(isList) : isList(found)
}

/** What `mill.start(name)` would start. */
export async function isDefinition(kernel: Kernel, name: string): Promise<boolean> {
  return !isDeclaredJob(kernel, name) && (await definitionNamed(kernel, name)) !== undefined
}

const definitionNamed = (kernel: Kernel, name: string) => definitionsOf(kernel).named(name, kernel.clock.nowMs())

const isList = (definition: CompiledDefinition | undefined): boolean => definition?.isList === true

const isDeclaredJob = (kernel: Kernel, name: string): boolean => liveSettingsOf(kernel).defaultsOf(name) !== undefined

/** The first of several types that is a workflow's name. It waits for nothing where all are known. */
export function findWorkflow(kernel: Kernel, names: Iterable<string>): Soon<string | undefined> {
  const asked: Promise<string | undefined>[] = []
  for (const name of new Set(names)) {
    const is = isWorkflow(kernel, name)
    if (is === true) return name
    if (is !== false) asked.push(is.then((found) => (found ? name : undefined)))
  }
  return asked.length === 0 ? undefined : Promise.all(asked).then((found) => found.find((name) => name !== undefined))
}

export const notAJob = (name: string): EngineError =>
  refusal(`${name} is a workflow, and cannot be enqueued as a job`, {
    path: "$.type",
    hint: `start it: mill.start("${name}", …), POST /v1/instances or millrace instances start ${name}`,
  })

export const notAJobOfASchedule = (name: string): EngineError =>
  refusal(`${name} is a workflow, and no type of jobs`, {
    path: "$.jobType",
    hint: `send it as definitionId: millrace schedules create --definition ${name}`,
  })

const refusal = (message: string, { path, hint }: { readonly path: string; readonly hint: string }): EngineError =>
  badRequest(`${message}: ${hint}`, [{ path, message, hint }])
