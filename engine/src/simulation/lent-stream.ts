// What the driver of a virtual process takes for its socket. Behind it there is a backend for as long as a transaction lasts, as behind a
// pooler in transaction mode: the next transaction may get another one, and what the driver has prepared is prepared there when it is used.
import { AsyncLocalStorage } from "node:async_hooks"
import { EventEmitter } from "node:events"
import { AnswerReader } from "./answer-reader.ts"
import type { Backend, Backends } from "./backends.ts"
import { isAsking, type Prepared, PreparedStatements, TERMINATE } from "./prepared-statements.ts"

export class LentStream extends EventEmitter {
  writable = true
  readonly #backends: Backends
  /** Events arrive in the process that opened the connection, as those of a socket of its own would. */
  readonly #here = AsyncLocalStorage.snapshot()
  readonly #statements = new PreparedStatements()
  readonly #answers = new AnswerReader()
  #backend: Backend | undefined
  #chunks: Buffer[] = []
  /** The prepared statements that the backend was sent since its last answer. */
  #sent: Prepared[] = []
  #asked = 0
  #isCorked = false
  #isGreeted = false
  #isOpening = false
  #returned: Promise<boolean> | undefined

  constructor(backends: Backends) {
    super()
    this.#backends = backends
  }

  /** The process id of the present backend. */
  get pid(): number {
    return this.#backend?.pid ?? 0
  }

  connect(): void {
    process.nextTick(() => this.emit("connect"))
  }

  write(chunk: Buffer, done?: () => void): boolean {
    if (this.#isGreeted && chunk[0] !== TERMINATE) this.#ask(chunk)
    // Who asks, and for which database: all have the same.
    if (!this.#isGreeted) process.nextTick(() => this.emit("data", GREETING))
    this.#isGreeted = true
    done?.()
    return true
  }

  cork(): void {
    this.#isCorked = true
  }

  uncork(): void {
    this.#isCorked = false
    this.#flush()
  }

  end(): void {
    this.destroy()
  }

  destroy(): void {
    void this.hangUp()
  }

  /** Resolves when its transaction is rolled back. False where it waits for an answer: then the backend has to be ended. */
  hangUp(): Promise<boolean> {
    this.#returned ??= this.#giveBack()
    return this.#returned
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  async #giveBack(): Promise<boolean> {
    this.writable = false
    const backend = this.#backend
    const isAnswered = this.#asked === this.#answers.count
    if (backend && isAnswered) await this.#backends.rollBack(backend)
    else if (backend) this.#backends.end(backend)
    this.#here(() => this.emit("close"))
    return isAnswered
  }

  #ask(chunk: Buffer): void {
    this.#chunks.push(chunk)
    if (!this.#isCorked) this.#flush()
  }

  #flush(): void {
    const backend = this.#backend ?? this.#backends.take()
    if (!backend) return this.#open()
    this.#backend = backend
    backend.receive = this.#receive
    this.#asked += this.#chunks.filter(isAsking).length
    const { chunks, used } = this.#statements.prepare(this.#chunks, backend.prepared)
    this.#chunks = []
    this.#sent.push(...used)
    backend.socket.write(Buffer.concat(chunks))
  }

  #open(): void {
    if (this.#isOpening) return
    this.#isOpening = true
    const opened = () => {
      this.#isOpening = false
      if (this.writable) this.#flush()
    }
    this.#backends.open().then(opened, (error: unknown) => this.#here(() => this.emit("error", error)))
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#answers.read(chunk)
    const backend = this.#backend as Backend
    if (this.#answers.hasFailed) for (const { name } of this.#sent) backend.prepared.delete(name)
    if (this.#asked === this.#answers.count) {
      this.#sent = []
      this.#answers.hasFailed = false
      if (!this.#answers.isInTransaction) this.#release(backend)
    }
    this.#here(() => this.emit("data", chunk))
  }

  #release(backend: Backend): void {
    this.#backend = undefined
    backend.giveBack()
  }
}

/** Logged in, and ready: the messages of a server to a client that it knows. */
const GREETING = Buffer.from([..."R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"].map((letter) => letter.charCodeAt(0)))
