// Which function runs which job type. Registering is a map insert and nothing else.
import type { AnyHandler, Handler, Handlers, JobTypes, UntypedJobs } from "./handlers.ts"

/** Handlers by job type, registered one by one. */
export class HandlerRegistry<T extends JobTypes<T> = UntypedJobs> {
  readonly #handlers = new Map<string, AnyHandler>()

  register<K extends keyof T & string>(jobType: K, handler: Handler<T[K]["input"], T[K]["output"]>): this {
    if (typeof jobType !== "string" || jobType.trim() === "") throw new TypeError("a job type must not be empty")
    if (typeof handler !== "function") throw new TypeError(`the handler of "${jobType}" is not a function`)
    if (this.#handlers.has(jobType)) throw new TypeError(`"${jobType}" has a handler already`)
    this.#handlers.set(jobType, handler)
    return this
  }

  jobTypes(): string[] {
    return [...this.#handlers.keys()]
  }

  find(jobType: string): AnyHandler | undefined {
    return this.#handlers.get(jobType)
  }
}

/** A registry with one handler for every job type of `T`; the compiler asks for each. */
export function defineHandlers<T extends JobTypes<T>>(handlers: Handlers<T>): HandlerRegistry<T> {
  const registry = new HandlerRegistry<T>()
  for (const jobType of Object.keys(handlers) as (keyof T & string)[]) registry.register(jobType, handlers[jobType])
  return registry
}
