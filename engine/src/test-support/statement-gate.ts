// The seam at the driver: every statement that leaves on a watched connection waits at a gate, and every connection may be watched as it
// is opened. Races and simulations decide there what goes through, when, and whether its answer comes back.
import pg from "pg"
import { WITHIN_A_MINUTE } from "../db/plan-settings.ts"
import { type Answer, type Car, Train } from "../db/train.ts"

/** One part of what a connection sends: a statement with what only prepares it, or plain text. */
export interface Send {
  (): Promise<unknown>
  /** With one more right before the statement, whose answer nobody sees. Not there for text, and where nothing may be written. */
  readonly after?: (car: Car) => Promise<unknown>
}

export interface StatementGate {
  /** Resolves with the answer, once the statement has been let through. */
  hold(label: string, send: Send): Promise<unknown>
}

export interface Gatekeeper {
  /** The connection's gate, or undefined where it is not watched now. */
  of(client: GatedClient): StatementGate | undefined
  /** Asked for each connection that is taken from a pool; without it pools are left alone. */
  take?(pool: GatedPool, connect: () => Promise<GatedClient>): Promise<GatedClient>
  /** What a new connection goes through; undefined: a socket of its own. */
  openStream?(): GatedStream | undefined
}

type Query = (this: GatedClient, request: Request, ...more: unknown[]) => Promise<unknown> | undefined
type Request = string | Train | { readonly text: string }

export interface GatedClient {
  query: Query
  end: (...args: unknown[]) => unknown
  once(name: "end", work: () => void): void
  readonly processID: number
  readonly connectionParameters: { readonly application_name?: string }
  connect: (...args: unknown[]) => unknown
  readonly connection: { stream: GatedStream }
}

interface GatedStream {
  destroy(): void
  removeAllListeners(): void
  on(name: string, work: () => void): void
}

export interface GatedPool {
  connect(callback?: unknown): Promise<GatedClient>
  readonly options: { readonly connectionString: string }
  readonly waitingCount: number
}

const byApplication = new Map<string, Gatekeeper>()
let isInstalled = false

/** Watches the connections of an application name from now on; returns what ends it. */
export function watchApplication(applicationName: string, keeper: Gatekeeper): () => void {
  install()
  byApplication.set(applicationName, keeper)
  return () => void byApplication.delete(applicationName)
}

/** Puts the gates into the driver's own client, below everything the engine does to send a statement. */
function install(): void {
  if (isInstalled) return
  isInstalled = true
  const clients = pg.Client.prototype as unknown as GatedClient
  const { query } = clients
  clients.query = function (request, ...more) {
    const gate = byApplication.get(this.connectionParameters.application_name ?? "")?.of(this)
    if (!gate || more.length > 0) return query.call(this, request, ...more)
    const send = (part: Request) => query.call(this, part)
    if (request instanceof Train) return void inTurn(this, () => splitUp(gate, request, inTrains(this, send)))
    return inTurn(this, () => gate.hold(textOf(request), async () => send(request)))
  }
  const { connect: open } = clients
  clients.connect = function (...args) {
    const stream = byApplication.get(this.connectionParameters.application_name ?? "")?.openStream?.()
    if (stream) this.connection.stream = stream
    return open.apply(this, args)
  }
  const pools = Object.getPrototypeOf(pg.Pool.prototype) as GatedPool
  const { connect } = pools
  pools.connect = function (this: GatedPool, callback) {
    const keeper = byApplication.get(applicationOf(this.options.connectionString))
    if (!keeper?.take || callback !== undefined) return connect.call(this, callback)
    return keeper.take(this, () => connect.call(this))
  }
}

const textOf = (request: Exclude<Request, Train>): string => (typeof request === "string" ? request : request.text)

const applicationOf = (dsn: string): string => /[?&]application_name=([^&]+)/.exec(dsn)?.[1] ?? ""

const turns = new WeakMap<GatedClient, Promise<void>>()

/** What is sent on one connection keeps its order, also where the next train is sent before the one before it is answered. */
function inTurn<T>(client: GatedClient, work: () => Promise<T>): Promise<T> {
  const mine = turns.get(client)?.then(work) ?? work()
  const over = mine.then(
    () => {},
    () => {},
  )
  turns.set(client, over)
  return mine
}

type SendCars = (cars: readonly Car[]) => Promise<readonly Answer[]>

const inTrains =
  (client: GatedClient, send: (part: Train) => void): SendCars =>
  (cars) =>
    new Promise((resolve, reject) => {
      const settle = (error: Error | null, answers: readonly Answer[]) => (error ? reject(error) : resolve(answers))
      send(new Train(client as unknown as pg.PoolClient, cars, settle))
    })

/** Every statement of a train by itself, and the commit as well, unless one statement that commits at once is all there is. */
async function splitUp(gate: StatementGate, train: Train, send: SendCars): Promise<void> {
  const answers: Answer[] = []
  try {
    const isReadOnly = train.cars.some((car) => car[0] === WITHIN_A_MINUTE[0])
    for (const { label, cars } of partsOf(train.cars)) {
      const only = () => send(cars)
      const parted = isReadOnly ? only : Object.assign(only, { after: (car: Car) => sendAfter(car, cars, send) })
      answers.push(...((await gate.hold(label, parted)) as readonly Answer[]))
    }
    train.callback(null, answers)
  } catch (error) {
    train.callback(error as Error, [])
  }
}

async function sendAfter(car: Car, cars: readonly Car[], send: SendCars): Promise<readonly Answer[]> {
  const at = cars.findIndex(([{ name }]) => !SEEN_BY_NOBODY.has(name))
  const answers = await send([...cars.slice(0, at), car, ...cars.slice(at)])
  return answers.filter((_, place) => place !== at)
}

interface Part {
  readonly label: string
  readonly cars: readonly Car[]
}

/** What no other connection can see travels with the statement after it. */
function partsOf(cars: readonly Car[]): Part[] {
  const names = cars.map(([{ name }]) => name)
  const seen = names.filter((name) => !SEEN_BY_NOBODY.has(name))
  const label = seen[0] ?? ""
  if (names[0] === "db.begin" && seen.length === 2 && !COMMITS_LATE.test(label)) return [{ label, cars }]
  const parts: Part[] = []
  let before: Car[] = []
  for (const car of cars) {
    before.push(car)
    if (SEEN_BY_NOBODY.has(car[0].name)) continue
    parts.push({ label: car[0].name, cars: before })
    before = []
  }
  return before.length > 0 ? [...parts, { label: "db.begin", cars: before }] : parts
}

/** Statements that touch nothing another connection could see. */
const SEEN_BY_NOBODY: ReadonlySet<string> = new Set(["db.begin", "db.byIndex", "db.whole"])

// Writes in one statement of their own. Their commit can be slow as any other's, and meanwhile they hold their locks.
const COMMITS_LATE = /^(claims\.claimJobs|packs\.claimPacks|jobs\.heartbeatJobs)$/
