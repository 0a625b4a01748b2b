// The statements of all processes on their way to the database and back: at most one is let through at a time, and its answer is given out
// when everything that runs has come to rest. A statement that waits for a lock stays out, and the others go on.
import { statement } from "../db/statements.ts"
import type { GatedClient, GatedPool, Gatekeeper, Send, StatementGate } from "../test-support/statement-gate.ts"
import type { Backends } from "./backends.ts"
import { LentStream } from "./lent-stream.ts"
import type { SeedDatabase } from "./seed-database.ts"
import { realTimer, realTurn } from "./virtual-globals.ts"
import { currentProcess, type VirtualProcess } from "./virtual-process.ts"
import type { VirtualTime } from "./virtual-time.ts"

type Outcome = { readonly value: unknown } | { readonly error: unknown }

export class Connection {
  readonly client: GatedClient
  readonly process: VirtualProcess
  readonly name: string
  /** Nothing of it is let through before. */
  slowUntilMs = 0

  constructor(client: GatedClient, process: VirtualProcess, number: number) {
    this.client = client
    this.process = process
    this.name = `${process.name}.${number}`
  }

  /** The process id of the backend that serves it now. */
  get pid(): number {
    const { stream } = this.client.connection
    return stream instanceof LentStream ? stream.pid : this.client.processID
  }
}

/** Something that a process waits for: an answer, or a connection from its pool. */
export class Errand {
  readonly label: string
  readonly connection: Connection | undefined
  readonly pool: GatedPool | undefined
  readonly settle: (outcome: Outcome) => void
  outcome: Outcome | undefined
  /** When it was let through. */
  sentMs = 0
  /** While it waits for a lock: the backends that it waits for. Another one may come between two looks: no time can be kept here. */
  blocked: readonly number[] | undefined

  constructor(label: string, place: { connection?: Connection; pool?: GatedPool }, settle: (outcome: Outcome) => void) {
    this.label = label
    this.connection = place.connection
    this.pool = place.pool
    this.settle = settle
  }
}

interface Held extends Errand {
  readonly connection: Connection
}

export class Traffic {
  readonly #time: VirtualTime
  readonly #monitor: SeedDatabase["monitor"]
  readonly #backends: Backends | undefined
  readonly #connections = new Map<GatedClient, Connection>()
  readonly #numbers = new Map<VirtualProcess, number>()
  readonly #sends = new Map<Errand, Send>()
  #held: Held[] = []
  /** In the order they were let through. */
  #out: Errand[] = []
  /** Connections that a process is closing. Its pool opens the next one when the server has heard of it. */
  readonly #closing = new Set<GatedClient>()
  readonly #watched = new WeakSet<GatedClient>()
  readonly #onRefused: (what: string) => void
  #clockMs = 0
  #onAnswer = () => {}

  /** `onRefused` gets everything that the database itself refuses, whichever process tried it. */
  constructor(time: VirtualTime, { monitor, backends }: SeedDatabase, onRefused: (what: string) => void) {
    this.#time = time
    this.#onRefused = onRefused
    this.#monitor = monitor
    this.#backends = backends
  }

  keeperOf(process: VirtualProcess): Gatekeeper {
    return {
      of: (client) => this.#gateOf(process, client),
      take: (pool, connect) => this.#take(process, pool, connect),
      openStream: () => this.#backends && new LentStream(this.#backends),
    }
  }

  /** What could be let through now. */
  get ready(): readonly Held[] {
    return this.#held.filter(({ connection }) => connection.slowUntilMs <= this.#time.nowMs)
  }

  /** When the next slow connection goes on. */
  get nextMs(): number | undefined {
    const times = this.#held.map(({ connection }) => connection.slowUntilMs).filter((atMs) => atMs > this.#time.nowMs)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  get blocked(): readonly Errand[] {
    return this.#out.filter((errand) => errand.blocked)
  }

  /** Lets a statement through, and waits until it is answered or waits for a lock. Its answer is kept. */
  async letThrough(errand: Held): Promise<void> {
    const send = await this.#inTime(errand)
    this.#held = this.#held.filter((each) => each !== errand)
    errand.sentMs = this.#time.nowMs
    this.#sends.delete(errand)
    this.#track(errand, errand.connection.process.enter(send))
    await this.#network()
  }

  /** The statement will see what time it is: the clock is set by the train that carries it, or before it is sent. */
  async #inTime(errand: Held): Promise<Send> {
    const send = this.#sends.get(errand) as Send
    if (this.#clockMs === this.#time.databaseMs || READS_NO_CLOCK.test(errand.label)) return send
    const { databaseMs } = this.#time
    this.#clockMs = databaseMs
    const { after } = send
    if (after) return () => after([SET_CLOCK, [databaseMs]])
    await this.#monitor.setClock(databaseMs)
    return send
  }

  /** Until every process waits for something that is not under way. */
  async settle(): Promise<void> {
    for (;;) {
      await realTurn()
      if (this.#time.runImmediate()) continue
      await this.#network()
      const next = this.#out.find(({ outcome }) => outcome)
      if (!next) return
      this.#deliver(next)
    }
  }

  /** The statement is not run, or has been and its answer is lost; either way the connection is. */
  async cut(errand: Held): Promise<void> {
    const { connection } = errand
    this.#forget(errand)
    await this.#hangUp([connection])
    for (let turn = 0; turn < 3; turn++) await realTurn()
    errand.settle({ error: new Error("Connection terminated unexpectedly") })
  }

  /** The wait for a lock is given up, as the server would do it after lock_timeout or for a deadlock. */
  async giveUp(errand: Errand, sqlState: string): Promise<void> {
    errand.blocked = undefined
    await this.#monitor.cancel(errand.connection?.pid ?? 0)
    // A busy machine may take its time until the backend hears of it. Until then the backend is still seen to wait.
    while (!errand.outcome) await this.#answered(MOMENT_MS)
    await this.#network()
    if (errand.outcome && "error" in errand.outcome) Object.assign(errand.outcome.error as object, { code: sqlState })
  }

  /** A process is gone: nothing of it is answered any more, and what it had not committed is rolled back. */
  async drop(process: VirtualProcess): Promise<void> {
    const mine = [...this.#connections.values()].filter((connection) => connection.process === process)
    for (const errand of [...this.#held, ...this.#out]) if (errand.connection?.process === process) this.#forget(errand)
    for (const { client } of mine) {
      const { stream } = client.connection
      stream.removeAllListeners()
      stream.on("error", () => {})
      this.#closing.delete(client)
    }
    await this.#hangUp(mine)
  }

  /** Resolves when the server has rolled back what was open on them, and their locks are free. */
  async #hangUp(connections: readonly Connection[]): Promise<void> {
    const ends = connections.map(async ({ client, pid }) => {
      const { stream } = client.connection
      this.#connections.delete(client)
      stream.destroy()
      return stream instanceof LentStream && (await stream.hangUp()) ? [] : [pid]
    })
    const pids = (await Promise.all(ends)).flat()
    if (pids.length > 0) await this.#monitor.terminate(pids)
  }

  #gateOf(process: VirtualProcess, client: GatedClient): StatementGate | undefined {
    if (currentProcess() === undefined) return undefined
    const hold = (label: string, send: Send) =>
      new Promise<unknown>((resolve, reject) => {
        // A dead process does not go on.
        if (!process.isAlive) return
        const settle = settler(resolve, reject)
        const errand = new Errand(label, { connection: this.#connectionOf(process, client) }, settle) as Held
        // A notification arrives when it likes, and only shortens a wait.
        this.#sends.set(errand, label.startsWith("listen ") ? async () => ({ rows: [] }) : send)
        this.#held.push(errand)
      })
    return { hold }
  }

  #take(process: VirtualProcess, pool: GatedPool, connect: () => Promise<GatedClient>): Promise<GatedClient> {
    return new Promise((resolve, reject) => {
      if (!process.isAlive) return
      const settle = settler((client) => {
        this.#connectionOf(process, client as GatedClient)
        resolve(client as GatedClient)
      }, reject)
      this.#track(new Errand("connect", { pool }, settle), connect())
    })
  }

  #connectionOf(process: VirtualProcess, client: GatedClient): Connection {
    let connection = this.#connections.get(client)
    if (!connection) {
      const number = (this.#numbers.get(process) ?? 0) + 1
      this.#numbers.set(process, number)
      connection = new Connection(client, process, number)
      this.#connections.set(client, connection)
      this.#watchEnd(client)
    }
    return connection
  }

  /** Once: one that was cut may be asked again, and never ends a second time. */
  #watchEnd(client: GatedClient): void {
    if (this.#watched.has(client)) return
    this.#watched.add(client)
    const { end } = client
    client.end = (...args) => {
      this.#closing.add(client)
      return end.apply(client, args)
    }
    client.once("end", () => {
      this.#closing.delete(client)
      client.end = end
      this.#onAnswer()
    })
  }

  #track(errand: Errand, work: Promise<unknown>): void {
    this.#out.push(errand)
    const answer = (outcome: Outcome) => {
      errand.outcome = outcome
      errand.blocked = undefined
      if ("error" in outcome && REFUSED.test(String(outcome.error)))
        this.#onRefused(`${errand.label}: ${outcome.error}`)
      this.#onAnswer()
    }
    work.then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error }),
    )
  }

  #forget(errand: Errand): void {
    this.#held = this.#held.filter((each) => each !== errand)
    this.#out = this.#out.filter((each) => each !== errand)
    this.#sends.delete(errand)
  }

  #deliver(errand: Errand): void {
    this.#forget(errand)
    errand.settle(errand.outcome as Outcome)
  }

  /** Until everything that is under way is answered or closed, waits for a lock, or for a connection that another has. */
  async #network(): Promise<void> {
    for (let patienceMs = MOMENT_MS; ; patienceMs = Math.min(2 * patienceMs, MOST_PATIENCE_MS)) {
      while (this.#closing.size > 0) await this.#answered(MOMENT_MS)
      const open = this.#underWay()
      if (open.length === 0) return
      const isNew = open.some((errand) => !errand.blocked)
      if (isNew && (await this.#answered(patienceMs))) continue
      // One that is opening a connection waits for no lock.
      if (open.some(({ connection }) => !connection)) continue
      const waiting = await this.#monitor.findBlocked(open.flatMap(({ connection }) => connection?.pid ?? []))
      const still = open.filter((errand) => !errand.outcome)
      if (still.length === open.length && still.every(({ connection }) => connection && waiting.has(connection.pid)))
        return this.#noteBlocked(still, waiting)
      for (const errand of still) if (!waiting.has(errand.connection?.pid ?? 0)) errand.blocked = undefined
    }
  }

  /** As many of the waiting callers as their pool opens connections now. The others wait until a connection is given back. */
  #underWay(): Errand[] {
    const open = this.#out.filter(({ outcome }) => !outcome)
    const ofPools = new Map<GatedPool, Errand[]>()
    for (const errand of open) if (errand.pool) ofPools.set(errand.pool, [...(ofPools.get(errand.pool) ?? []), errand])
    const queued = [...ofPools].flatMap(([pool, errands]) => errands.slice(errands.length - pool.waitingCount))
    return open.filter((errand) => !queued.includes(errand))
  }

  #noteBlocked(errands: readonly Errand[], waiting: ReadonlyMap<number, readonly number[]>): void {
    for (const errand of errands) errand.blocked = waiting.get(errand.connection?.pid ?? 0)
  }

  /** Whether an answer came within that time. */
  #answered(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const wait = realTimer(() => resolve(false), ms)
      this.#onAnswer = () => {
        clearTimeout(wait)
        resolve(true)
      }
    })
  }
}

/** On a quiet machine an answer takes no longer. */
const MOMENT_MS = 2
/** On a busy one it is not asked each time whether a statement waits for a lock: the question takes its turns from the statement. */
const MOST_PATIENCE_MS = 16

const REFUSED = /refused by the test guards/

const SET_CLOCK = statement("simulation.setClock", "select setval('millrace.sim_clock', @ms::bigint)")

/** What only begins or ends a transaction: the clock was set a fifth less often in the first twelve seeds. */
const READS_NO_CLOCK = /^(db\.(begin|commit)|begin|commit|rollback|listen )/

const settler =
  (resolve: (value: unknown) => void, reject: (error: unknown) => void) =>
  (outcome: Outcome): void =>
    "value" in outcome ? resolve(outcome.value) : reject(outcome.error)
