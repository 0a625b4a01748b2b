// Definitions as code: each step is added by a call of its own, and the compiler refuses a next step that is not added.
import { closestName } from "../calls/closest-name.ts"
import type * as wire from "../generated/wire.ts"
import type { Definition, Step } from "../generated/wire.ts"
import { referencesOf } from "./references.ts"

/** The fields of a step besides its id and type; its name is its id unless it is given. */
type Fields<S extends Step> = Omit<S, "id" | "type" | "name"> & { readonly name?: string }

/** Every step that the fields of another name. */
type Named<F> =
  | (F extends { readonly nextStep: infer Next extends string } ? Next : never)
  | (F extends { readonly joinStep: infer Join extends string } ? Join : never)
  | (F extends { readonly parallelNextSteps: readonly (infer Fork extends string)[] } ? Fork : never)
  | (F extends { readonly conditionalNextSteps: infer Map } ? Map[keyof Map] & string : never)
  | (F extends { readonly boundaryEvents: readonly { readonly targetStepId: infer Target extends string }[] }
      ? Target
      : never)

/** What `build` asks for when a step is named that is not there: no builder has it. */
interface NoSuchStep<Name extends string> {
  readonly noSuchStep: Name
}

/** Names that are known at run time alone are left to `build`. */
type Complete<Self, Ids extends string, Names extends string> = string extends Names
  ? Self
  : [Exclude<Names, Ids>] extends [never]
    ? Self
    : NoSuchStep<Exclude<Names, Ids>>

/** `Ids` are the steps so far, `Names` those that they name. */
export class Workflow<Ids extends string = never, Names extends string = never> {
  readonly #head: Omit<Definition, "steps">
  readonly #steps: readonly Step[]

  constructor(head: Omit<Definition, "steps">, steps: readonly Step[] = []) {
    this.#head = head
    this.#steps = steps
  }

  /** A job for the workers of its type. */
  serviceTask<Id extends string, const F extends Fields<wire.ServiceTask>>(id: Id, fields: F) {
    return this.#add<Id, F>("SERVICE_TASK", id, fields)
  }

  /** Waits for a person. */
  userTask<Id extends string, const F extends Fields<wire.UserTaskStep>>(id: Id, fields: F) {
    return this.#add<Id, F>("USER_TASK", id, fields)
  }

  /** Goes on at the first condition that is true. */
  decision<Id extends string, const C extends wire.ConditionalNextSteps>(
    id: Id,
    conditionalNextSteps: C,
    fields: { readonly name?: string; readonly description?: string } = {},
  ) {
    return this.#add<Id, { readonly conditionalNextSteps: C }>("DECISION", id, { ...fields, conditionalNextSteps })
  }

  /** Sets variables, from literals and from expressions in `${…}`. */
  transformation<Id extends string, const F extends Fields<wire.Transformation>>(id: Id, fields: F) {
    return this.#add<Id, F>("TRANSFORMATION", id, fields)
  }

  /** Waits for a signal. */
  wait<Id extends string, const F extends Fields<wire.Wait>>(id: Id, fields: F) {
    return this.#add<Id, F>("WAIT", id, fields)
  }

  /** Goes on at several steps at once, which meet at the join. */
  parallel<Id extends string, const F extends Fields<wire.ParallelGateway>>(id: Id, fields: F) {
    return this.#add<Id, F>("PARALLEL_GATEWAY", id, fields)
  }

  /** Goes on when every path of its fork is here. */
  join<Id extends string, const F extends Fields<wire.JoinGateway>>(id: Id, fields: F) {
    return this.#add<Id, F>("JOIN_GATEWAY", id, fields)
  }

  /** Completes the instance. */
  end<Id extends string>(id: Id, fields: Fields<wire.End> = {}) {
    return this.#add<Id, object>("END", id, fields)
  }

  /** The JSON, to upload or to keep. Throws where a step is named that is not there, or one is there twice. */
  build(this: Complete<Workflow<Ids, Names>, Ids, Names>): Definition {
    const { definition } = this as unknown as Workflow
    const ids = definition.steps.map(({ id }) => id)
    const twice = ids.find((id, at) => ids.indexOf(id) !== at)
    if (twice !== undefined) throw new TypeError(`the workflow "${definition.id}" has the step "${twice}" twice`)
    for (const step of definition.steps) refuseUnknownNext(step, ids)
    return definition
  }

  /** The definition as far as it is written. */
  get definition(): Definition {
    return { ...this.#head, steps: this.#steps }
  }

  #add<Id extends string, F>(type: Step["type"], id: Id, fields: object): Workflow<Ids | Id, Names | Named<F>> {
    const step = { id, name: id, type, ...fields } as Step
    return new Workflow<Ids | Id, Names | Named<F>>(this.#head, [...this.#steps, step])
  }
}

type Head = Omit<Definition, "id" | "name" | "steps" | "version" | "uploadedAt"> & { readonly name?: string }

/** `workflow("order").serviceTask("charge", { jobType: "charge-card", nextStep: "done" }).end("done").build()` */
export const workflow = (id: string, head: Head = {}): Workflow => new Workflow({ id, name: id, ...head })

function refuseUnknownNext(step: Step, ids: readonly string[]): void {
  const unknown = referencesOf(step).find((name) => !ids.includes(name))
  if (unknown === undefined) return
  const meant = closestName(unknown, ids)
  const advice = meant === undefined ? `there are ${ids.join(", ")}` : `did you mean "${meant}"?`
  throw new TypeError(`the step "${step.id}" goes on to "${unknown}", which is not there: ${advice}`)
}
