// The backends of a database that virtual processes share. A new backend costs more than most of what a process does with it, and so does
// the first use of each statement. A transaction has a backend of its own; the first that is free.
import type { Socket } from "node:net"
import type { Database } from "../db/database.ts"
import type { PreparedOnBackend } from "./prepared-statements.ts"
import { outsideOfProcesses } from "./virtual-process.ts"

type Client = Awaited<ReturnType<Database["dedicated"]>>
type Receive = (chunk: Buffer) => void

/** Ignores what a stopping server, or a dropped database, sends to backends that are not in use. */
const NOBODY: Receive = () => {}

export class Backend {
  readonly #client: Client
  readonly #own: Receive
  readonly socket: Socket
  readonly pid: number
  readonly prepared: PreparedOnBackend = new Map()
  /** Who gets its answers. */
  receive: Receive
  isFree = true

  constructor(client: Client) {
    const { connection, processID } = client as unknown as Opened
    this.#client = client
    this.socket = connection.stream
    this.pid = processID
    this.#own = this.socket.listeners("data")[0] as Receive
    this.receive = this.#own
    this.socket.removeAllListeners("data")
    this.socket.on("data", (chunk) => this.receive(chunk))
  }

  /** Runs a statement of the simulator on a backend that is not in use. */
  async run(text: string): Promise<void> {
    this.receive = this.#own
    await outsideOfProcesses(() => this.#client.query(text))
  }

  giveBack(): void {
    this.receive = NOBODY
    this.isFree = true
  }

  end(): void {
    this.receive = NOBODY
    this.#client.release(true)
  }
}

export class Backends {
  readonly #db: Database
  #all: Backend[] = []

  /** Opens as many connections as there are transactions at a time; the caller closes the database. */
  constructor(db: Database) {
    this.#db = db
  }

  /** Undefined while there is none: one more has to be opened. */
  take(): Backend | undefined {
    const backend = this.#all.find(({ isFree }) => isFree)
    if (backend) backend.isFree = false
    return backend
  }

  async open(): Promise<void> {
    this.#all.push(new Backend(await outsideOfProcesses(() => this.#db.dedicated())))
  }

  async rollBack(backend: Backend): Promise<void> {
    await backend.run("rollback")
    backend.giveBack()
  }

  end(backend: Backend): void {
    this.#all = this.#all.filter((each) => each !== backend)
    backend.end()
  }

  /** Called before the next seed: plans of earlier statements are dropped. A backend that was not given back is in no known state. */
  async forgetPlans(): Promise<void> {
    for (const backend of this.#all) if (!backend.isFree) this.end(backend)
    await Promise.all(this.#all.map((backend) => backend.run("discard plans")))
  }

  close(): void {
    for (const backend of this.#all) backend.end()
  }
}

interface Opened {
  readonly connection: { readonly stream: Socket }
  readonly processID: number
}
