// One seed: draws what happens next, again and again. The next thing is a statement of some process, a timer that is due, time that
// passes, or a fault.
import { Cluster } from "./cluster.ts"
import { Dice } from "./dice.ts"
import type { Profile } from "./profile.ts"
import type { SeedDatabase } from "./seed-database.ts"
import type { Trace } from "./trace.ts"
import { type Errand, Traffic } from "./traffic.ts"
import { beginTime, putInto } from "./virtual-globals.ts"
import { VirtualProcess } from "./virtual-process.ts"
import type { VirtualTime } from "./virtual-time.ts"

type Ready = Traffic["ready"][number]

/** How long a batch waits for a lock, and how long any transaction waits. */
const LOCK_MS = { shortest: 100, longest: 3_000 }
const GIVE_UP_RATE = 0.05
const LOCK_NOT_AVAILABLE = "55P03"
const DEADLOCK = "40P01"

export class Simulation {
  readonly time: VirtualTime
  readonly cluster: Cluster
  /** Where the callers of the engines live; it never dies. */
  readonly outside: VirtualProcess
  readonly profile: Profile
  readonly #dice: Dice
  readonly #trace: Trace
  readonly #traffic: Traffic
  #actions: (() => Promise<void>)[] = []
  steps = 0
  faults = 0
  /** From then on no fault happens. */
  isHealed = false

  constructor({ database, seed, profile, trace, onRefused }: Settings) {
    this.#dice = new Dice(seed)
    this.profile = profile
    this.#trace = trace
    this.time = beginTime()
    this.#traffic = new Traffic(this.time, database, onRefused)
    this.outside = new VirtualProcess("outside", this.#dice.fork())
    putInto(this.time, this.outside)
    const { dsn } = database
    const perform = (action: () => Promise<void>) => this.perform(action)
    this.cluster = new Cluster({ dsn, dice: this.#dice.fork(), time: this.time, traffic: this.#traffic, perform })
  }

  /** Until it is over, or after that many steps. False when it was not over by then. */
  async run(
    isOver: () => boolean,
    most: { steps: number; check: () => Promise<void>; every: number },
  ): Promise<boolean> {
    for (let step = 0; step < most.steps; step++) {
      await this.#step()
      if (isOver()) return true
      if (step % most.every === most.every - 1) await most.check()
    }
    return false
  }

  /** For what is done to processes from outside: it happens between two steps, all at once. */
  perform(action: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#actions.push(() => action().then(resolve, reject))
    })
  }

  /** Stops everything that belongs to the simulation. */
  async close(): Promise<void> {
    this.outside.die()
    await this.cluster.close()
  }

  note(line: string): void {
    this.#trace.note(`${this.time.nowMs} ${line}`)
  }

  async #step(): Promise<void> {
    this.steps += 1
    await this.#traffic.settle()
    const action = this.#actions.shift()
    if (action) return action()
    if (await this.#endWait()) return
    const { ready } = this.#traffic
    const isTimerDue = (this.time.nextMs ?? Number.POSITIVE_INFINITY) <= this.time.nowMs
    const choices = ready.length + (isTimerDue ? 1 : 0)
    if (choices === 0) return this.#passTime(Number.POSITIVE_INFINITY)
    if (this.#dice.chance(this.profile.timeRate)) return this.#passTime(this.#dice.between(1, 200))
    const chosen = ready[this.#dice.between(0, choices - 1)]
    if (chosen) await this.#send(chosen)
    else this.time.runTimer()
  }

  #passTime(mostMs: number): void {
    const next = Math.min(this.time.nextMs ?? Infinity, this.#traffic.nextMs ?? Infinity)
    const ms = Math.min(mostMs, Math.max(0, next - this.time.nowMs))
    if (!Number.isFinite(ms)) throw new Error("the simulation stands still: nothing is due, and nothing is under way")
    this.time.pass(ms)
  }

  async #send(errand: Ready): Promise<void> {
    const { slowRate, cutRate, crashRate } = this.isHealed ? CALM : this.profile
    const { name } = errand.connection
    const before = this.#dice.chance(0.5)
    const draw = this.#dice.next()
    if (draw < slowRate) return this.#slow(errand)
    if (draw < slowRate + cutRate + crashRate) {
      this.faults += 1
      if (!before) await this.#traffic.letThrough(errand)
      const isCrash = draw >= slowRate + cutRate
      this.note(`${isCrash ? "CRASH" : "CUT"} ${before ? "before" : "after"} ${name} ${errand.label}`)
      return isCrash ? this.cluster.kill(errand.connection.process) : this.#traffic.cut(errand)
    }
    await this.#traffic.letThrough(errand)
    this.note(`${name} ${errand.label} ${summary(errand)}`)
    this.time.pass(this.#dice.between(0, this.profile.statementMs))
  }

  #slow({ connection }: Ready): void {
    connection.slowUntilMs = this.time.nowMs + this.#dice.between(50, 4_000)
    this.note(`SLOW ${connection.name} until ${connection.slowUntilMs}`)
  }

  /** Ends a deadlock, or a wait for a lock that has lasted long enough. True when it did. */
  async #endWait(): Promise<boolean> {
    const { blocked } = this.#traffic
    const stuck = deadlocked(blocked).at(-1)
    const late = blocked.find(({ sentMs }) => {
      const ms = this.time.nowMs - sentMs
      return ms >= LOCK_MS.longest || (ms >= LOCK_MS.shortest && this.#dice.chance(GIVE_UP_RATE))
    })
    const victim = stuck ?? late
    if (!victim) return false
    const state = stuck ? DEADLOCK : LOCK_NOT_AVAILABLE
    await this.#traffic.giveUp(victim, state)
    this.note(`${victim.connection?.name} ${victim.label} ${state}`)
    return true
  }
}

interface Settings {
  readonly database: SeedDatabase
  readonly seed: number
  readonly profile: Profile
  readonly trace: Trace
  readonly onRefused: (what: string) => void
}

const CALM = { slowRate: 0, cutRate: 0, crashRate: 0 }

/** Statements that wait for each other in a ring, in the order they were sent. */
function deadlocked(blocked: readonly Errand[]): Errand[] {
  const byPid = new Map(blocked.map((errand) => [errand.connection?.pid, errand]))
  const reaches = (from: Errand, to: Errand, seen: Set<Errand>): boolean =>
    (from.blocked ?? []).some((pid) => {
      const next = byPid.get(pid)
      if (!next || seen.has(next)) return next === to
      seen.add(next)
      return next === to || reaches(next, to, seen)
    })
  return blocked.filter((errand) => reaches(errand, errand, new Set()))
}

/** How many rows came back, or which error: what a replay has to repeat. */
function summary({ outcome }: Errand): string {
  if (!outcome) return "waits"
  if ("error" in outcome) return `error ${(outcome.error as { code?: string }).code ?? String(outcome.error)}`
  const answers = Array.isArray(outcome.value) ? outcome.value : [outcome.value]
  return String(answers.reduce((sum: number, answer: { rows?: unknown[] }) => sum + (answer?.rows?.length ?? 0), 0))
}
