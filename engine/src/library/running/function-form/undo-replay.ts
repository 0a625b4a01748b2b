// Finds the undos of a function: it is run once more against what its run had on record, and goes no further than that.
import type { CarriedStep, UndoInput } from "../../../model/instances/undo.ts"
import type { JsonValue } from "../../../support/json.ts"
import { validate } from "../../authoring/standard-schema.ts"
import type { Undo } from "../../authoring/step-types.ts"
import type { AnyWorkflow } from "../../authoring/workflow.ts"
import type { Run } from "../../authoring/workflow-types.ts"
import { RunActivity } from "./run-activity.ts"
import { WatchedRun } from "./watched-run.ts"

export type UndoFunction = (undo: Undo<never>) => unknown
/** By the names of the steps, old ones included. */
export type Undos = ReadonlyMap<string, UndoFunction>

/** What the function does beside its calls is done again, as at every attempt of its run. */
export async function undosOfFunction({ body, input: schema }: AnyWorkflow, given: UndoInput): Promise<Undos> {
  const replay = new UndoReplay(given.steps as unknown as readonly CarriedStep[])
  const input = schema ? await validate(schema, given.input) : given.input
  // How it ends is known already: it failed, or was cancelled.
  const ended = (async () => body?.(new WatchedRun(replay as unknown as Run), input))().catch(() => {})
  await Promise.race([ended, replay.still])
  return replay.undos
}

interface CallOptions {
  readonly key?: string
  readonly name?: string
  readonly undo?: UndoFunction
  readonly schema?: Parameters<typeof validate>[0]
}

/** The calls of a `Run`, answered from the record. One that is not on record never comes back. */
class UndoReplay {
  readonly undos = new Map<string, UndoFunction>()
  readonly #steps: ReadonlyMap<string, CarriedStep>
  #standing = 0
  readonly #activity: RunActivity
  /** Resolves when every branch of the function stands at a call that was not made before. */
  readonly still: Promise<void>

  constructor(steps: readonly CarriedStep[]) {
    this.#steps = new Map(steps.map((step) => [step.name, step]))
    let resolve = () => {}
    this.still = new Promise((done) => {
      resolve = done
    })
    this.#activity = new RunActivity((branches) => {
      if (this.#standing >= branches) resolve()
    })
  }

  step(name: string, _fn: unknown, { key, undo }: CallOptions = {}): Promise<unknown> {
    const id = idOf(name, key)
    if (undo) this.undos.set(id, undo)
    return this.#recall(id)
  }

  async all(branches: Readonly<Record<string, () => unknown>>): Promise<unknown> {
    const named = Object.entries(branches).map(([name, branch]) => async () => [name, await branch()])
    return Object.fromEntries(await this.#activity.fork(named))
  }

  async child(workflow: AnyWorkflow, _input: unknown, { key, name = workflow.name }: CallOptions = {}) {
    const end = (await this.#recall(idOf(name, key))) as { status?: string; reason?: string; result?: JsonValue }
    if (end.status === "COMPLETED") return end.result
    throw new Error(`ended ${end.status}${end.reason ? `: ${end.reason}` : ""}`)
  }

  async sleep(name: string): Promise<void> {
    await this.#recall(name)
  }

  signal(name: string, options: CallOptions = {}): Promise<unknown> {
    return this.#arrived(idOf(name, options.key), options)
  }

  userTask(name: string, options: CallOptions = {}): Promise<unknown> {
    return this.#arrived(idOf(name, options.key), options)
  }

  async #arrived(id: string, { schema }: CallOptions): Promise<unknown> {
    const value = await this.#recall(id)
    if (value === null || value === undefined) return undefined
    return schema ? validate(schema, value, id) : value
  }

  async #recall(id: string): Promise<JsonValue | undefined> {
    const step = this.#steps.get(id)
    if (step?.status === "FAILED") throw new Error(step.error)
    if (step?.status === "COMPLETED") return step.value
    this.#standing += 1
    this.#activity.look()
    return new Promise(() => {})
  }
}

const idOf = (name: string, key: string | undefined): string => (key === undefined ? name : `${name}/${key}`)
