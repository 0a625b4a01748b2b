// Runs engine transactions against each other one statement at a time: every statement waits at a gate until the schedule lets it
// through, and one that waits for a lock is noticed, so that the other side goes on.
import { setTimeout as sleep } from "node:timers/promises"
import type { Database } from "../db/database.ts"
import { assert } from "../support/assert.ts"
import { type GatedClient, type Gatekeeper, type StatementGate, watchApplication } from "./statement-gate.ts"

interface Held {
  readonly label: string
  /** Sends the statement; resolves when it has been answered, well or badly. */
  readonly send: () => Promise<unknown>
}

/** The gate of one connection. */
class Gate implements StatementGate {
  readonly pid: number
  readonly #held: Held[] = []
  readonly #onChange: () => void
  running = false

  constructor(pid: number, onChange: () => void) {
    this.pid = pid
    this.#onChange = onChange
  }

  /** Resolves with the answer, once the statement has been let through. */
  hold(label: string, send: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#held.push({ label, send: () => send().then(resolve, reject) })
      this.#onChange()
    })
  }

  /** A statement waits to be let through. */
  get waits(): boolean {
    return !this.running && this.#held.length > 0
  }

  letThrough(): string {
    const next = this.#held.shift()
    assert(next && !this.running, "one statement at a time")
    this.running = true
    void next.send().finally(() => {
      this.running = false
      this.#onChange()
    })
    return next.label
  }
}

/** The gates of all connections of one application name. While closed, every statement waits to be let through. */
export class Gates implements Gatekeeper {
  readonly #gates = new Map<GatedClient, Gate>()
  #onChange: (() => void) | undefined

  /** For connections with this application name. */
  constructor(readonly applicationName: string) {
    watchApplication(applicationName, this)
  }

  /** `onChange` is called when a statement comes or is answered. */
  close(onChange: () => void): void {
    this.#onChange = onChange
  }

  open(): void {
    assert(!this.all.some((gate) => gate.waits || gate.running), "nothing waits at the gates when they are opened")
    this.#onChange = undefined
  }

  get all(): Gate[] {
    return [...this.#gates.values()]
  }

  /** The connection's gate, or undefined while all are open. */
  of(client: GatedClient): Gate | undefined {
    if (!this.#onChange) return undefined
    let gate = this.#gates.get(client)
    if (!gate) {
      gate = new Gate(client.processID, () => this.#onChange?.())
      this.#gates.set(client, gate)
    }
    return gate
  }
}

/** One side of a race: an engine of its own, whose statements go through these gates. */
export interface Side<T> {
  readonly gates: Gates
  readonly run: () => Promise<T>
}

export type Ending<T> = { readonly value: T } | { readonly error: unknown }

export interface Race<T> {
  readonly endings: readonly Ending<T>[]
  /** What happened, in order: the side's letter and the statement; `…` where a side was found waiting for a lock. */
  readonly trace: readonly string[]
  /** Statements of each side. */
  readonly statements: readonly number[]
}

/** Which of the sides that could go on does; gets how many statements each has sent. */
export type Schedule = (ready: readonly number[], sent: readonly number[]) => number

/** Answers which of these backends wait for another of them. */
export type FindBlocked = (pids: readonly number[]) => Promise<ReadonlySet<number>>

const STUCK_MS = 60_000
const NAMES = "ABCDEFGH"

export async function interleave<T>(
  sides: readonly Side<T>[],
  choose: Schedule,
  findBlocked: FindBlocked,
): Promise<Race<T>> {
  const endings = new Array<Ending<T> | undefined>(sides.length).fill(undefined)
  const trace: string[] = []
  const sent = sides.map(() => 0)
  let wake = () => {}
  const changed = () => new Promise<void>((resolve) => (wake = resolve))
  for (const [index, side] of sides.entries()) {
    const finish = (ending: Ending<T>) => {
      endings[index] = ending
      wake()
    }
    side.gates.close(() => wake())
    void side.run().then(
      (value) => finish({ value }),
      (error: unknown) => finish({ error }),
    )
  }
  for (;;) {
    const blocked = await settle(sides, endings, { changed, findBlocked, trace })
    const ready = sides.flatMap(({ gates }, index) => (gates.all.some((gate) => gate.waits) ? [index] : []))
    if (ready.length === 0 && blocked === 0) break
    // When all wait for each other PostgreSQL ends one of them after deadlock_timeout.
    if (ready.length === 0) await changed()
    else {
      const index = ready.length === 1 ? (ready[0] as number) : choose(ready, sent)
      const gate = sides[index]?.gates.all.find((each) => each.waits)
      trace.push(`${NAMES[index]}:${gate?.letThrough()}`)
      sent[index] = (sent[index] ?? 0) + 1
    }
  }
  for (const { gates } of sides) gates.open()
  return { endings: endings as Ending<T>[], trace, statements: sent }
}

interface Watch {
  readonly changed: () => Promise<void>
  readonly findBlocked: FindBlocked
  readonly trace: string[]
}

/** Until every side waits at a gate, waits for a lock, or is through. Answers how many connections wait for a lock. */
async function settle<T>(
  sides: readonly Side<T>[],
  endings: readonly (Ending<T> | undefined)[],
  { changed, findBlocked, trace }: Watch,
): Promise<number> {
  const deadline = Date.now() + STUCK_MS
  const running = () => sides.flatMap(({ gates }) => gates.all.filter((gate) => gate.running))
  const isAtRest = ({ gates }: Side<T>, index: number) =>
    endings[index] !== undefined || gates.all.some((gate) => gate.waits || gate.running)
  for (;;) {
    // What an answer led to comes to the gate within a few turns.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    const sentOut = running()
    if (sentOut.length === 0 && sides.every(isAtRest)) return 0
    const soon = Promise.race([changed().then(() => true), sleep(1, false)])
    if (!(await soon) && sentOut.length > 0) {
      const blocked = await findBlocked(sentOut.map((gate) => gate.pid))
      const still = running()
      if (still.length > 0 && still.every((gate) => blocked.has(gate.pid)) && sides.every(isAtRest)) {
        noteBlocked(sides, still, trace)
        return still.length
      }
    }
    if (Date.now() > deadline) throw new Error(`the race is stuck: ${trace.join(" ")}`)
  }
}

function noteBlocked<T>(sides: readonly Side<T>[], blocked: readonly Gate[], trace: string[]): void {
  for (const [index, { gates }] of sides.entries()) {
    const note = `${NAMES[index]}…`
    const last = trace.findLast((entry) => entry.startsWith(NAMES[index] as string))
    if (last !== note && gates.all.some((gate) => blocked.includes(gate))) trace.push(note)
  }
}

/** Sides one after the other, in the given order. */
export const serially =
  (order: readonly number[]): Schedule =>
  (ready) =>
    order.find((index) => ready.includes(index)) as number

/** `first` sends that many statements, then the others run in their order, then the rest: the schedules most bugs need. */
export const preempting =
  (first: number, after: number, order: readonly number[]): Schedule =>
  (ready, sent) => {
    if (ready.includes(first) && (sent[first] ?? 0) < after) return first
    return order.find((index) => index !== first && ready.includes(index)) ?? first
  }

export const randomly =
  (random: () => number): Schedule =>
  (ready) =>
    ready[Math.floor(random() * ready.length)] as number

/** mulberry32: small, seeded, good enough to pick schedules. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export async function lockMonitor(db: Database): Promise<{ findBlocked: FindBlocked; close(): void }> {
  const client = await db.dedicated()
  return {
    async findBlocked(pids) {
      const { rows } = await client.query<{ pid: number }>({
        name: "blocked",
        text: "select pid from unnest($1::integer[]) as pid where cardinality(pg_blocking_pids(pid)) > 0",
        values: [pids as number[]],
      })
      return new Set(rows.map(({ pid }) => pid))
    },
    close: () => client.release(),
  }
}
