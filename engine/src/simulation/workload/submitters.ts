// Callers that bring work: every submission has a key, is sent again until it is answered, and sometimes twice at once.
import { statement } from "../../db/statements.ts"
import { EVERYTHING } from "../../model/people/reach.ts"
import { publishEvent } from "../../operations/events/publish-event.ts"
import { startInstance } from "../../operations/instances/start/start-instance.ts"
import { enqueueJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import { digestOf, once, type RequestKey } from "../../operations/kernel/idempotency.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { deleteSchedule, putSchedule } from "../../operations/schedules/schedules.ts"
import type { JsonObject } from "../../support/json.ts"
import { Caller, sleep } from "./caller.ts"
import { JOB_TYPES, WORKFLOWS } from "./definitions.ts"

const DEFINITION_IDS = WORKFLOWS.map(({ id }) => id as string)
const keyOf = (key: string, body = key): RequestKey => ({ scope: "simulation", key, digest: digestOf(body) })

const EVENT_KEYS = ["red", "blue"]
const FAIR_KEYS = ["small", "large"]
const FAILS = statement("simulation.fails", "select 1 / 0")
/** Longer than a relay takes from one look at the outbox to the next. */
const LONG_OPEN_MS = 5_000

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
      const fairKey = this.dice.chance(0.3) ? this.dice.pick(FAIR_KEYS) : undefined
      // It kills every worker that takes it, until it is given up.
      const isPoison = this.dice.chance(0.1)
      const submit = () => this.#enqueue(key, { jobType, limit, fairKey, isKeyed, isPoison })
      await Promise.all(this.dice.chance(0.2) ? [submit(), submit()] : [submit()])
    }
  }

  async #publishEvents(): Promise<void> {
    const { events, busyMs } = this.simulation.profile
    const openLong: Promise<void>[] = []
    for (let n = 0; n < events; n++) {
      await sleep(this.dice.between(0, (2 * busyMs) / events))
      const key = `event-${n}`
      const publish = { key, event: { type: "noted", payload: { n }, key: this.dice.pick(EVENT_KEYS) } }
      // Beside the others, which commit meanwhile and have later places.
      const isOpenLong = this.dice.chance(0.3)
      if (isOpenLong) openLong.push(this.#publish({ ...publish, openMs: this.dice.between(100, LONG_OPEN_MS) }))
      else await this.#publish(publish)
      if (this.dice.chance(0.2)) await this.#publishInVain(publish.event)
    }
    await Promise.all(openLong)
  }

  async #publish({ key, event, openMs }: Publication): Promise<void> {
    const requestKey = keyOf(key)
    const answer = await this.insist((kernel) =>
      openMs === undefined
        ? publishEvent(kernel, { ...event, requestKey })
        : kernel.db.transaction((tx) =>
            once(tx, requestKey, async () => {
              const { outcome } = await publishEvent(kernel, event, tx)
              await sleep(openMs)
              return outcome
            }),
          ),
    )
    if (answer.kind === "ok") this.ledger.accept("event", key, answer.value.outcome.id)
    else this.ledger.violate(`${key} was refused: ${answer.code}`)
  }

  /** In a caller's transaction in which a statement has failed, and the caller has caught the error. Its COMMIT is answered with ROLLBACK. */
  async #publishInVain(event: Publication["event"]): Promise<void> {
    const answer = await this.ask((kernel) =>
      kernel.db.transaction(async (tx) => {
        await publishEvent(kernel, event, tx)
        await tx.read(FAILS).catch(() => {})
      }),
    )
    if (answer.kind === "ok") this.ledger.violate("S1: a transaction that was rolled back was told as committed")
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
    const start = (requestKey: RequestKey) => (kernel: Kernel) =>
      startInstance(kernel, { definitionId, variables: { key }, actor: "local", requestKey })
    const answer = await this.insist(start(keyOf(key)))
    if (answer.kind === "ok") this.ledger.accept("instance", key, answer.value.instance.id)
    else this.ledger.violate(`start of ${key} was refused: ${answer.code}`)
    await this.#useKeyAgain(key, start)
  }

  async #enqueue(key: string, { isKeyed, isPoison, ...choice }: JobChoice): Promise<void> {
    const request = {
      payload: { key, isPoison },
      ...choice,
      retries: JOB_RETRIES,
      whenFull: "absorb",
      actor: "local",
    } as const
    const enqueue = (requestKey: RequestKey) => (kernel: Kernel) => enqueueJob(kernel, { ...request, requestKey })
    const answer = await this.insist(
      isKeyed ? (kernel) => enqueueJob(kernel, { ...request, key }) : enqueue(keyOf(key)),
    )
    if (answer.kind === "ok") this.ledger.accept("job", key, answer.value.job.id)
    else this.ledger.violate(`enqueue of ${key} was refused: ${answer.code}`)
    if (!isKeyed) await this.#useKeyAgain(key, enqueue)
  }

  /** For another request, which is to be refused. */
  async #useKeyAgain(key: string, send: (key: RequestKey) => (kernel: Kernel) => Promise<unknown>): Promise<void> {
    if (!this.dice.chance(0.3)) return
    const answer = await this.ask(send(keyOf(key, `not ${key}`)))
    if (answer.kind === "ok") this.ledger.violate(`S3: another request with the key ${key} was accepted`)
  }
}

interface Publication {
  readonly key: string
  readonly event: { readonly type: string; readonly payload: JsonObject; readonly key: string }
  /** How long its transaction stays open afterwards, as that of a caller may. Undefined: a transaction of the engine's own. */
  readonly openMs?: number
}

interface JobChoice {
  readonly jobType: string
  readonly limit: { readonly key: string; readonly max: number } | undefined
  readonly fairKey: string | undefined
  /** By the job's own key, or by an idempotency key of the request. */
  readonly isKeyed: boolean
  readonly isPoison: boolean
}
