// The downstreams that this process has told the engine about: each once, when work begins or the first job goes there.
import { closestName } from "../../model/definitions/closest-name.ts"
import { setDownstream } from "../../operations/flow/change-downstreams.ts"
import { liveSettingsOf } from "../../operations/flow/live-settings.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { badRequest } from "../../support/errors.ts"
import { type Downstream, downstream } from "../authoring/downstream.ts"
import type { AnyJob } from "../authoring/job.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"

interface Declared {
  readonly limits: Downstream
  readonly done: Promise<unknown>
}

type Named = Downstream | string | undefined

/** A downstream may be written by hand instead of being made by `downstream(…)`: its limits are checked here. */
const judged = ({ kind: _, name, ...limits }: Downstream): Downstream => downstream(name, limits)

export class DeclaredDownstreams {
  readonly #kernel: Kernel
  readonly #declared = new Map<string, Declared>()
  readonly #named = new Set<string>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** One that is only named keeps the limits it has. */
  async declare(downstreams: readonly Named[]): Promise<void> {
    for (const each of downstreams) if (typeof each === "object") await this.#once(judged(each))
    for (const each of downstreams) if (typeof each === "string") await this.#warnIfUnknown(each)
  }

  /** Once: its limits may be set later, and without any its jobs are work like other work. */
  async #warnIfUnknown(name: string): Promise<void> {
    if (this.#named.has(name) || this.#declared.has(name)) return
    this.#named.add(name)
    const live = liveSettingsOf(this.#kernel)
    // Another process may have declared it since the last beat.
    if (!live.downstream(name)) await live.refresh()
    if (live.downstream(name)) return
    const meant = closestName(
      name,
      live.downstreams.map((each) => each.name),
    )
    const advice =
      meant === undefined ? `declare it, or set them: millrace downstreams set ${name}` : `did you mean ${meant}?`
    this.#kernel.log.warn(
      { downstream: name },
      `the downstream ${name} is not declared, so no limits hold for it: ${advice}`,
    )
  }

  #once(limits: Downstream): Promise<unknown> {
    const before = this.#declared.get(limits.name)
    if (before && !isSame(before.limits, limits))
      throw badRequest(`downstream ${limits.name} is declared twice in this process, with other limits`)
    if (before) return before.done
    const done = this.#tell(limits)
    done.catch(() => this.#declared.delete(limits.name))
    this.#declared.set(limits.name, { limits, done })
    return done
  }

  /** Equal limits are no change, however many processes declare them. */
  #tell({ name, perSecond, concurrency, adaptive }: Downstream): Promise<unknown> {
    const limits = { perSecond: perSecond ?? null, concurrency: concurrency ?? null, adaptive: adaptive ?? false }
    return setDownstream(this.#kernel, { actor: "local" }, { name, ...limits })
  }
}

const isSame = (a: Downstream, b: Downstream): boolean =>
  a.perSecond === b.perSecond && a.concurrency === b.concurrency && (a.adaptive ?? false) === (b.adaptive ?? false)

/** The downstreams that a workflow or a job calls. */
export const downstreamsOf = (work: AnyWorkflow | AnyJob): readonly Named[] =>
  work.kind === "job"
    ? [work.defaults.downstream]
    : [work.downstream, ...work.elements.map((element) => (element.kind === "step" ? element.downstream : undefined))]
