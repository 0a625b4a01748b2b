// The driver: asks for jobs in bulk as fast as the engine takes them, and asks again with the same key until it is told that they are there.
import { setTimeout as sleep } from "node:timers/promises"
import type { wire } from "@millrace/sdk"
import type { Answer } from "../jobs/door.ts"
import type { Journal } from "../journal.ts"
import { askRest, type Request } from "../rest.ts"
import { ASKED_AT_ONCE, FLIGHTS, JOB_TYPE } from "./load.ts"

const AGAIN_MS = 100
const WHEN_FULL_MS = 250

interface Means {
  readonly ports: readonly number[]
  readonly journal: Journal
}

export class Driver {
  readonly #means: Means
  #next = 0
  #tries = 0
  #acked = 0
  #isOver = false

  constructor(means: Means) {
    this.#means = means
  }

  /** Jobs that are there for certain. */
  get acked(): number {
    return this.#acked
  }

  /** Until it is stopped, and every job that was asked for is there. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: FLIGHTS }, () => this.#fly()))
  }

  stop(): void {
    this.#isOver = true
  }

  async #fly(): Promise<void> {
    while (!this.#isOver) {
      const from = this.#next
      this.#next += ASKED_AT_ONCE
      this.#means.journal.sync({ op: "asks", from, count: ASKED_AT_ONCE })
      while (!(await this.#send(from)));
      this.#acked += ASKED_AT_ONCE
    }
  }

  /** Whether they are there. */
  async #send(from: number): Promise<boolean> {
    const { ports, journal } = this.#means
    journal.write({ op: "sends", from, at: Date.now() })
    const port = ports[this.#tries++ % ports.length]
    try {
      const answer = await askRest(port, bulkOf(from), ({ ids }: wire.EnqueuedJobs) => ids)
      if (answer.is === "ok") journal.sync({ op: "acked", from, at: Date.now(), ids: answer.value })
      else journal.write({ op: whatOf(answer), from })
      if (answer.is === "ok") return true
      await sleep(answer.is === "full" ? WHEN_FULL_MS : AGAIN_MS)
    } catch (error) {
      journal.sync({ op: "bug", what: "enqueue", error: String(error) }, { op: "unheard", from })
      await sleep(AGAIN_MS)
    }
    return false
  }
}

function whatOf(answer: Answer<unknown>): "full" | "unsent" | "unheard" {
  if (answer.is === "full") return "full"
  return answer.is === "unknown" && answer.isUnsent ? "unsent" : "unheard"
}

/** Kept by the key of the request, or each job by a key of its own. */
function bulkOf(from: number): Request {
  const isKeyedAlone = (from / ASKED_AT_ONCE) % 2 === 1
  const jobs = Array.from({ length: ASKED_AT_ONCE }, (_, at) => ({
    type: JOB_TYPE,
    payload: { n: from + at },
    ...(isKeyedAlone ? { key: `flood-${from + at}` } : {}),
  }))
  return { method: "POST", path: "/jobs/bulk", body: { jobs }, key: isKeyedAlone ? undefined : `flood-${from}` }
}
