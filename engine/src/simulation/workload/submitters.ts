// Callers that bring work: every submission has a key, is sent again until it is answered, and sometimes twice at once.
import { EVERYTHING } from "../../model/people/reach.ts"
import { publishEvent } from "../../operations/events/publish-event.ts"
import { startInstance } from "../../operations/instances/start/start-instance.ts"
import { enqueueJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import { digestOf, type RequestKey } from "../../operations/kernel/idempotency.ts"
import { deleteSchedule, putSchedule } from "../../operations/schedules/schedules.ts"
import { Caller, sleep } from "./caller.ts"
import { JOB_TYPES, WORKFLOWS } from "./definitions.ts"

const DEFINITION_IDS = WORKFLOWS.map(({ id }) => id as string)
const keyOf = (key: string): RequestKey => ({ scope: "simulation", key, digest: digestOf(key) })

const EVENT_KEYS = ["red", "blue"]

/** Standalone jobs have this many retries. */
export const JOB_RETRIES = 2

export class Submitter extends Caller {
  /** Resolves when all of it is accepted. */
  async submit(): Promise<void> {
    await Promise.all([this.#startInstances(), this.#enqueueJobs(), this.#publishEvents(), this.#schedule()])
  }

  async #startInstances(): Promise<void> {
    const { instances, busyMs } = this.simulation.profile
    for (let n = 0; n < instances; n++) {
      await sleep(this.dice.between(0, (2 * busyMs) / instances))
      const definitionId = this.dice.pick(DEFINITION_IDS)
      const key = `${definitionId}-${n}`
      const submit = () => this.#start(key, definitionId)
      await Promise.all(this.dice.chance(0.2) ? [submit(), submit()] : [submit()])
    }
  }

  async #enqueueJobs(): Promise<void> {
    const { jobs, busyMs } = this.simulation.profile
    for (let n = 0; n < jobs; n++) {
      await sleep(this.dice.between(0, (2 * busyMs) / jobs))
      const key = `job-${n}`
      const isKeyed = this.dice.chance(0.5)
      const jobType = this.dice.pick(JOB_TYPES)
      const limit = this.dice.chance(0.4) ? { key: "one at a time", max: 1 } : undefined
      const submit = () => this.#enqueue(key, { jobType, limit, isKeyed })
      await Promise.all(this.dice.chance(0.2) ? [submit(), submit()] : [submit()])
    }
  }

  async #publishEvents(): Promise<void> {
    const { events, busyMs } = this.simulation.profile
    for (let n = 0; n < events; n++) {
      await sleep(this.dice.between(0, (2 * busyMs) / events))
      const key = `event-${n}`
      const request = { type: "noted", payload: { n }, key: this.dice.pick(EVENT_KEYS), requestKey: keyOf(key) }
      const answer = await this.insist((kernel) => publishEvent(kernel, request))
      if (answer.kind === "ok") this.ledger.accept("event", key, answer.value.outcome.id)
      else this.ledger.violate(`${key} was refused: ${answer.code}`)
    }
  }

  /** Work by the clock, for as long as faults happen. */
  async #schedule(): Promise<void> {
    const { hasSchedule } = this.simulation.profile
    if (!hasSchedule) return
    const overlap = this.dice.pick(["skip", "queue", "cancel"] as const)
    const catchUp = this.dice.pick(["none", "last", "all"] as const)
    const spec = { id: "tick", cron: "*/2 * * * * *", jobType: "mail", input: { tick: true }, overlap, catchUp }
    await this.insist((kernel) => putSchedule(kernel, spec, { actor: "local", reach: EVERYTHING }))
    while (!this.simulation.isHealed) await sleep(500)
    await this.insist((kernel) => deleteSchedule(kernel, spec.id, { actor: "local" }))
  }

  async #start(key: string, definitionId: string): Promise<void> {
    const answer = await this.insist((kernel) =>
      startInstance(kernel, { definitionId, variables: { key }, actor: "local", requestKey: keyOf(key) }),
    )
    if (answer.kind === "ok") this.ledger.accept("instance", key, answer.value.instance.id)
    else this.ledger.violate(`start of ${key} was refused: ${answer.code}`)
  }

  async #enqueue(key: string, { jobType, limit, isKeyed }: JobChoice): Promise<void> {
    const answer = await this.insist((kernel) =>
      enqueueJob(kernel, {
        jobType,
        payload: { key },
        limit,
        retries: JOB_RETRIES,
        whenFull: "absorb",
        actor: "local",
        ...(isKeyed ? { key } : { requestKey: keyOf(key) }),
      }),
    )
    if (answer.kind === "ok") this.ledger.accept("job", key, answer.value.job.id)
    else this.ledger.violate(`enqueue of ${key} was refused: ${answer.code}`)
  }
}

interface JobChoice {
  readonly jobType: string
  readonly limit: { readonly key: string; readonly max: number } | undefined
  /** By the job's own key, or by an idempotency key of the request. */
  readonly isKeyed: boolean
}
