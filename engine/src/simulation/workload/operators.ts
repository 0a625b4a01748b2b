// People and outside systems: they complete tasks, send signals, cancel and retry what they know of, at any moment and more than once.
import { EVERYTHING } from "../../model/people/reach.ts"
import { replayDeadLetter } from "../../operations/dead-letters/replay-dead-letter.ts"
import { cancelInstance, completeUserTask, signalWait } from "../../operations/instances/change-instance.ts"
import { restartInstance } from "../../operations/instances/restart-instance.ts"
import { retryInstance } from "../../operations/instances/retry-instance.ts"
import { cancelJob } from "../../operations/jobs/end/cancel-job.ts"
import { Caller, sleep } from "./caller.ts"

const ACTOR = "local"
const NOTHING = ["", { id: "", kind: "none" }] as const

export class Operator extends Caller {
  readonly #replayed = new Set<string>()

  /** Goes over the instances that may wait, again and again: what is not there to be done is refused. */
  async serve(name: string): Promise<void> {
    for (;;) {
      for (const [key, { id, kind }] of this.ledger.submissions) {
        if (kind !== "instance" || !/human|waiting/.test(key)) continue
        await sleep(this.dice.between(20, 400))
        await (key.includes("human") ? this.#complete(id, name) : this.#signal(id, name))
      }
      await sleep(this.dice.between(300, 1_500))
    }
  }

  async interfere(): Promise<void> {
    const ways = [this.#cancel, this.#cancel, this.#retry, this.#retry, this.#restart, this.#cancelJob, this.#replay]
    while (!this.simulation.isHealed) {
      await sleep(this.dice.between(50, 1_500))
      await this.dice.pick(ways).call(this)
    }
  }

  async #complete(instanceId: string, by: string): Promise<void> {
    const answer = await this.ask((kernel) =>
      completeUserTask(kernel, { instanceId, stepId: "task", variables: { [by]: true }, completedBy: by, actor: by }),
    )
    if (answer.kind !== "ok") return
    if (this.ledger.completedTasks.has(instanceId))
      this.ledger.violate(`S14: the task of ${instanceId} was completed twice`)
    this.ledger.completedTasks.add(instanceId)
  }

  async #signal(instanceId: string, by: string): Promise<void> {
    await this.ask((kernel) => signalWait(kernel, { instanceId, stepId: "wait", variables: { [by]: true }, actor: by }))
  }

  async #cancel(): Promise<void> {
    const instanceId = this.#any("instance")
    if (!instanceId) return
    const answer = await this.ask((kernel) => cancelInstance(kernel, { instanceId, reason: undefined, actor: ACTOR }))
    if (answer.kind === "ok") this.ledger.cancelled.add(instanceId)
  }

  async #retry(): Promise<void> {
    const instanceId = this.#any("instance")
    if (instanceId) await this.ask((kernel) => retryInstance(kernel, { instanceId, actor: ACTOR }))
  }

  /**
   * Not of those that wait for a person: where the answer is lost, no person would know of the new one. Nor of runs of lists and functions:
   * their steps know a run by its input.
   */
  async #restart(): Promise<void> {
    const [key, { id: instanceId, kind }] = this.dice.pick([...this.ledger.submissions]) ?? NOTHING
    if (kind !== "instance" || /human|^run-/.test(key)) return
    const answer = await this.ask((kernel) => restartInstance(kernel, { instanceId, actor: ACTOR }))
    if (answer.kind === "ok")
      this.ledger.accept("instance", `restart ${answer.value.instance.id}`, answer.value.instance.id)
  }

  async #cancelJob(): Promise<void> {
    const id = this.#any("job")
    if (!id) return
    const answer = await this.ask((kernel) => cancelJob(kernel, { id, actor: ACTOR }))
    if (answer.kind === "ok") this.ledger.cancelled.add(id)
  }

  async #replay(): Promise<void> {
    const id = this.#any("job")
    if (!id) return
    const answer = await this.ask((kernel) => replayDeadLetter(kernel, { id, actor: ACTOR, reach: EVERYTHING }))
    if (answer.kind !== "ok") return
    if (this.#replayed.has(id)) this.ledger.violate(`S20: the dead letter of ${id} was replayed twice`)
    this.#replayed.add(id)
    const { jobId } = answer.value.outcome
    if (jobId) this.ledger.accept("job", `replay of ${id}`, jobId)
  }

  #any(kind: "instance" | "job"): string | undefined {
    return this.dice.pick(this.ledger.idsOf(kind))
  }
}
