// Jobs that the engine is asked for: by polls, on the way of reports, or by a stream that it pushes them over.
import type { Job } from "../client/job-types.ts"
import type { PollOptions } from "../generated/wire.ts"
import { AllowedTypes } from "./allowed-types.ts"
import type { Intake, IntakeTools } from "./intake.ts"
import { PollLane } from "./poll-lane.ts"
import type { Ask } from "./report/report-lane.ts"
import { StreamLane, type StreamLaneOptions } from "./stream-lane.ts"

/** Most jobs one request may ask for. */
const MAX_JOBS = 100

export class AskingIntake implements Intake {
  readonly #tools: IntakeTools
  readonly #lane: PollLane | StreamLane
  readonly #types: AllowedTypes

  constructor(tools: IntakeTools) {
    this.#tools = tools
    this.#types = new AllowedTypes(tools.settings)
    this.#lane = tools.settings.mode === "stream" ? this.#makeStreamLane() : this.#makePollLane()
  }

  run(): Promise<void> {
    return this.#lane.run()
  }

  wake(): void {
    this.#lane.wake()
  }

  ask(): Ask | undefined {
    const places = this.#mayAsk ? Math.min(MAX_JOBS, this.#tools.slots.free) : 0
    if (places <= 0) return undefined
    return { poll: this.#pollOptions(places), answered: this.#askFor(places) }
  }

  get #mayAsk(): boolean {
    return this.#tools.settings.mode === "exchange" && !this.#tools.draining.aborted
  }

  async #poll(places: number, signal: AbortSignal): Promise<number> {
    const { workerId, pace, client } = this.#tools.settings
    const answered = this.#askFor(places)
    let jobs: readonly Job[] = []
    const asked = this.#pollOptions(places)
    try {
      const wait = "waitSeconds" in pace ? pace : {}
      jobs = await client.poll({ workerId, ...asked, ...wait }, { signal })
      return jobs.length
    } catch (error) {
      if (this.#types.learn(error, asked.jobTypes)) return 0
      throw error
    } finally {
      answered(jobs)
    }
  }

  /** Promises places to a question; the returned function takes the answer. */
  #askFor(places: number): (jobs: readonly Job[]) => void {
    const { settings, slots, take, wake } = this.#tools
    const askedAt = settings.clock.now()
    slots.ask(places)
    return (jobs) => {
      slots.answered(places)
      settings.metrics.polled((settings.clock.now() - askedAt) / 1000, jobs.length)
      take(jobs, askedAt)
      wake()
    }
  }

  #pollOptions(places: number): PollOptions {
    return { jobTypes: this.#types.names, maxJobs: places, leaseSeconds: this.#tools.settings.leaseSeconds }
  }

  /** Places for the poll lane: what is free and not about to be asked for by the reports that wait. */
  #freeForPoll(): number {
    const spoken = this.#mayAsk && this.#tools.reportsWaiting() > 0 ? MAX_JOBS : 0
    return Math.min(MAX_JOBS, Math.max(0, this.#tools.slots.free - spoken))
  }

  #makeStreamLane(): StreamLane {
    const { slots, draining: signal, settings, wake: returned } = this.#tools
    const { client, clock, logger, workerId, leaseSeconds } = settings
    const open: StreamLaneOptions["open"] = (credit, events) => {
      const jobTypes = this.#types.names
      const ended: typeof events.ended = (error) => {
        this.#types.learn(error, jobTypes)
        events.ended(error)
      }
      return client.streamJobs({ workerId, leaseSeconds, credit, jobTypes }, { ...events, ended })
    }
    // Pushed as soon as it is claimed: the lease began as long ago as the way here takes, which the margin covers.
    const take = (jobs: readonly Job[]) => this.#tools.take(jobs, clock.now())
    return new StreamLane({ clock, logger, signal, slots, open, take, returned })
  }

  #makePollLane(): PollLane {
    const { clock, logger, pace } = this.#tools.settings
    return new PollLane({
      clock,
      logger,
      pace,
      signal: this.#tools.draining,
      places: () => this.#freeForPoll(),
      poll: (places, signal) => this.#poll(places, signal),
    })
  }
}
