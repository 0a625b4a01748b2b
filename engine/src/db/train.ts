// Several statements that travel as one message train: one write, one Sync, one answer. Sent alone a statement has its own Sync, and
// both sides pay a system call and a wake-up for each.
import pg from "pg"
import { encodeValues, type WireValue } from "./encode-values.ts"
import type { Statement } from "./statements.ts"

export type Row = Record<string, unknown>
export type Values = readonly unknown[]
/** A statement and its values. */
export type Car = readonly [Statement, Values]

export interface Answer {
  readonly rows: Row[]
  /** The command tag, such as `INSERT 0 5`. */
  tag: string
}

/** One answer per statement. After a failure nothing that follows in the train is run, and its error is the train's. */
export function sendTrain(client: pg.PoolClient, cars: readonly Car[], timeoutMs?: number): Promise<readonly Answer[]> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, answers: readonly Answer[]) => (error ? reject(error) : resolve(answers))
    const train = new Train(client, cars, settle)
    train.query_timeout = timeoutMs
    client.query(train as unknown as pg.Submittable)
  })
}

type Settle = (error: Error | null, answers: readonly Answer[]) => void

/** Extends the driver's query: in pipeline mode it takes no other kind. */
export class Train extends pg.Query {
  readonly cars: readonly Car[]
  /** The driver's name for it; undefined is what the pool says. */
  query_timeout: number | undefined
  /** Called once. The driver wraps it to watch over the time. */
  callback: Settle
  readonly #client: pg.PoolClient
  readonly #answers: Answer[]
  readonly #prepared: string[] = []
  #columns: readonly Column[] | undefined
  #arrived = 0

  constructor(client: pg.PoolClient, cars: readonly Car[], callback: Settle) {
    super({ text: "" })
    this.#client = client
    this.cars = cars
    this.callback = callback
    this.#answers = cars.map(() => ({ rows: [], tag: "" }))
  }

  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire
    wire.stream.cork()
    for (const [statement, values] of this.cars) this.#send(wire, statement, values)
    wire.sync()
    wire.stream.uncork()
  }

  /** A statement is parsed and described at its first use on a connection. */
  #send(wire: Wire, { name, text, planned }: Statement, values: Values): void {
    const statement = planned === "anew" ? "" : name
    const known = columnsOf(wire)
    const isNew = statement === "" || !known.has(statement)
    if (isNew) {
      wire.close({ type: "S", name: statement })
      wire.parse({ name: statement, text })
      known.set(statement, [])
      this.#prepared.push(statement)
    }
    wire.bind({ portal: "", statement, values: encodeValues(values) })
    if (isNew) wire.describe({ type: "P", name: "" })
    wire.execute({ portal: "", rows: 0 })
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, "text"),
    }))
    columnsOf(this.#wire).set(this.#statement, columns)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#columns ??= columnsOf(this.#wire).get(this.#statement) ?? []
    const row: Row = {}
    for (let index = 0; index < this.#columns.length; index++) {
      const column = this.#columns[index] as Column
      const text = fields[index]
      row[column.name] = text == null ? null : column.parse(text)
    }
    this.#answers[this.#arrived]?.rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const answer = this.#answers[this.#arrived]
    if (answer) answer.tag = text
    this.#columns = undefined
    this.#arrived += 1
  }

  /** Which of the statements were parsed before the failure is not known: all are parsed again. */
  handleError(error: Error): void {
    for (const name of this.#prepared) columnsOf(this.#wire).delete(name)
    this.callback(error, [])
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#answers)
  }

  get #wire(): Wire {
    return (this.#client as unknown as { readonly connection: Wire }).connection
  }

  get #statement(): string {
    const [statement] = this.cars[this.#arrived] as Car
    return statement.planned === "anew" ? "" : statement.name
  }
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** What of the driver's connection is used here. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  close(message: { type: "S"; name: string }): void
  parse(message: { name: string; text: string }): void
  bind(message: { portal: ""; statement: string; values: readonly WireValue[] }): void
  describe(message: { type: "P"; name: "" }): void
  execute(message: { portal: ""; rows: 0 }): void
  sync(): void
}

const described = new WeakMap<Wire, Map<string, readonly Column[]>>()

/** The columns of each statement that has been prepared on a connection. */
function columnsOf(wire: Wire): Map<string, readonly Column[]> {
  let columns = described.get(wire)
  if (!columns) {
    columns = new Map()
    described.set(wire, columns)
  }
  return columns
}
