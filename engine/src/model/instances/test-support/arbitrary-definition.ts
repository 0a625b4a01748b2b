// Random valid definitions: parts laid out as steps, under names that may be awkward, with or without deadline and next workflow.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import fc from "fast-check"
import { type CompiledDefinition, compileDefinition } from "../../definitions/compile-definition.ts"
import {
  caught,
  decision,
  document,
  end,
  fork,
  join,
  parsed,
  type Raw,
  service,
  timer,
  transformation,
  user,
  wait,
} from "../../definitions/fixtures.ts"
import { type Boundary, type Part, parts, type TaskPart } from "./parts.ts"

/** The last few cannot be judged: not a boolean, not defined. */
const CONDITIONS = ["v0 == 0", "v1 > 1", "v2 != v0", "v1 + v2 < 3", "v0 == 1 || v1 == 1", "!(v2 > 0)", "v0 >= v1"]
const FAULTY = ["v3", "missing == 1", "len(v0) > 1"]
const AWKWARD = ["constructor", "__proto__", "toString", "valueOf"]
const RETRIES = {
  none: {},
  once: { retryCount: 1 },
  twice: { retryCount: 2 },
  delayed: { retry: { retries: 2, base: "PT2S", factor: 3, cap: "PT5S", jitter: "partial" } },
}
const TIMEOUTS = { none: {}, run: { run: "PT20S" }, queue: { queue: "PT15S" }, total: { total: "PT45S" } }

/** Three in a row are different, at any of the 41 places. */
function conditionAt(index: number): string {
  const pool = index % 41 >= 38 ? FAULTY : CONDITIONS
  return pool[(index % 41) % pool.length] as string
}

class Layout {
  readonly steps: Raw[] = []
  readonly #names: readonly string[]
  #count = 0

  constructor(names: readonly string[]) {
    this.#names = names
  }

  name(): string {
    const name = this.#names[this.#count] ?? `s${this.#count}`
    this.#count += 1
    return name
  }

  /** Steps that go on to `next`; gives the id of the first. */
  row(row: readonly Part[], next: string, inFork: boolean): string {
    return row.reduceRight((following, part) => this.#part(part, following, inFork), next)
  }

  /** Where a token ends: a new END each time. */
  end(): string {
    const id = this.name()
    this.steps.push(end(id))
    return id
  }

  #part(part: Part, next: string, inFork: boolean): string {
    const id = this.name()
    switch (part.kind) {
      case "transformation":
        this.steps.push(
          transformation(id, {
            transformations: {
              [`v${part.variable}`]: part.variable,
              [`t${part.variable}`]: "${v0 + 1}",
              at: "${now()}",
            },
            nextStep: next,
          }),
        )
        return id
      case "choice":
        this.#decision(
          id,
          part.condition,
          part.otherwise,
          part.ways.map((way) => this.row(way, next, inFork)),
        )
        return id
      case "loop":
        return this.#loop(id, part.times, part.body, next, inFork)
      case "fork":
        this.#fork(id, part.branches, this.#join(next))
        return id
      case "twins":
        return this.#twins(id, part.condition, part.forks, next)
      default:
        this.#task(id, part, next, inFork)
        return id
    }
  }

  #decision(id: string, condition: number, otherwise: boolean, targets: readonly string[]): void {
    const last = targets.length - 1
    const sources = targets.map((_, index) => (index === last && otherwise ? "true" : conditionAt(condition + index)))
    this.steps.push(
      decision(id, {
        conditionalNextSteps: Object.fromEntries(sources.map((source, index) => [source, targets[index]])),
      }),
    )
  }

  #loop(id: string, times: number, body: readonly Part[], next: string, inFork: boolean): string {
    const [count, again] = [this.name(), this.name()]
    const variable = `loop${this.#count}`
    const first = this.row(body, count, inFork)
    this.steps.push(transformation(id, { transformations: { [variable]: 0 }, nextStep: first }))
    this.steps.push(transformation(count, { transformations: { [variable]: `\${${variable} + 1}` }, nextStep: again }))
    this.steps.push(decision(again, { conditionalNextSteps: { [`${variable} < ${times}`]: first, true: next } }))
    return id
  }

  #join(next: string): string {
    const id = this.name()
    this.steps.push(join(id, { nextStep: next }))
    return id
  }

  #fork(id: string, branches: readonly (readonly Part[])[], joinStep: string): void {
    const targets = branches.map((branch) => this.row(branch, joinStep, true))
    this.steps.push(fork(id, targets, joinStep))
  }

  #twins(id: string, condition: number, forks: readonly (readonly (readonly Part[])[])[], next: string): string {
    const joinStep = this.#join(next)
    const ids = forks.map(() => this.name())
    for (const [index, branches] of forks.entries()) this.#fork(ids[index] as string, branches, joinStep)
    this.#decision(id, condition % 38, true, ids)
    return id
  }

  #task(id: string, part: TaskPart, next: string, inFork: boolean): void {
    const endsHere =
      part.kind !== "wait" &&
      this.steps.some((step) => step.id === next && step.type === "END") &&
      part.retry === "none"
    const timers = part.boundaries.map((boundary) => this.#boundary(boundary, next, inFork))
    const isCaught = part.catches !== undefined && part.onError === "fail"
    const boundaryEvents = isCaught ? [caught(this.row(part.catches, next, inFork)), ...timers] : timers
    const aside =
      part.aside && part.kind !== "wait"
        ? { conditionalNextSteps: { [conditionAt(part.aside.condition)]: this.row(part.aside.parts, next, inFork) } }
        : {}
    const common = {
      ...(endsHere && !part.aside ? {} : { nextStep: next }),
      ...(boundaryEvents.length > 0 ? { boundaryEvents } : {}),
      ...(part.onError === "continue" ? { onError: "continue" } : {}),
      ...aside,
    }
    const outputSchema = part.schema ? { outputSchema: { properties: { v0: { type: "number" } } } } : {}
    const total = part.timeout === "total" ? { timeout: TIMEOUTS.total } : {}
    if (part.kind === "wait") this.steps.push(wait(id, { ...common, ...total, ...waiting(part) }))
    else if (part.kind === "user") this.steps.push(user(id, { ...common, ...total, ...outputSchema }))
    else
      this.steps.push(
        service(id, undefined, {
          ...common,
          ...outputSchema,
          ...RETRIES[part.retry],
          ...(part.timeout === "none" ? {} : { timeout: TIMEOUTS[part.timeout] }),
          jobType: "work",
        }),
      )
  }

  /** A path beside the task may come back to the main line only where no fork is open. */
  #boundary({ interrupting, seconds, parts: path }: Boundary, next: string, inFork: boolean): Raw {
    const target =
      interrupting || (!inFork && seconds % 4 === 0) ? this.row(path, next, inFork) : this.row(path, this.end(), false)
    return timer(target, interrupting, `PT${seconds}S`)
  }
}

const waiting = ({ lasts, keeps }: TaskPart): Raw => ({
  ...(lasts === undefined ? {} : { duration: `PT${lasts}S` }),
  ...(keeps ? { keepEarly: true } : {}),
})

interface Outline {
  readonly parts: readonly Part[]
  readonly awkward: boolean
  readonly deadline: boolean
  readonly chained: boolean
}

function write({ parts: row, awkward, deadline, chained }: Outline): Raw {
  const layout = new Layout(awkward ? AWKWARD : [])
  const entry = layout.row(row, layout.end(), false)
  const first = layout.steps.filter((step) => step.id === entry)
  const rest = layout.steps.filter((step) => step.id !== entry)
  return document(reachable([...first, ...rest]), {
    ...(deadline ? { deadline: "PT3M" } : {}),
    ...(chained ? { autoStartNextWorkflow: true, nextWorkflowId: "order:after" } : {}),
  })
}

/** An END that every path left out is not written. */
function reachable(steps: Raw[]): Raw[] {
  const named = JSON.stringify(steps.map(({ id, name, ...rest }) => rest))
  return steps.filter((step, index) => index === 0 || step.type !== "END" || named.includes(JSON.stringify(step.id)))
}

export interface Sample {
  readonly document: Raw
  readonly definition: CompiledDefinition
}

/** Every one of them passes `parseDefinition`. */
export const arbitraryDefinition: fc.Arbitrary<Sample> = fc
  .noBias(fc.record({ parts, awkward: fc.boolean(), deadline: fc.nat({ max: 5 }), chained: fc.boolean() }))
  .map(({ deadline, ...outline }) => {
    const document = write({ ...outline, deadline: deadline === 1 })
    return { document, definition: compileDefinition(parsed(document), 1) }
  })
