// What a statement takes and what it gives, as the server says before it is ever run.
import pg from "pg"

export interface Description {
  /** The types of its parameters, as SQL writes them. */
  readonly parameters: readonly string[]
  readonly columns: readonly Column[]
}

export interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

const NAMES = "select format_type(oid, null) as name from unnest($1::oid[]) with ordinality as t (oid, n) order by n"

export async function describeStatement(client: pg.PoolClient, text: string): Promise<Description> {
  const { oids, columns } = await new Promise<Answer>((resolve, reject) => {
    const settle = (error: Error | null, answer: Answer) => (error ? reject(error) : resolve(answer))
    client.query(new Describe(client, text, settle) as unknown as pg.Submittable)
  })
  const { rows } = await client.query<{ name: string }>(NAMES, [oids])
  return { parameters: rows.map((row) => row.name), columns }
}

interface Answer {
  readonly oids: readonly number[]
  readonly columns: readonly Column[]
}

type Settle = (error: Error | null, answer: Answer) => void

/** Extends the driver's query: in pipeline mode it takes no other kind. */
class Describe extends pg.Query {
  /** Called once. The driver wraps it to watch over the time. */
  callback: Settle
  readonly #client: pg.PoolClient
  readonly #statement: string
  #oids: readonly number[] = []
  #columns: readonly Column[] = []

  constructor(client: pg.PoolClient, statement: string, callback: Settle) {
    super({ text: "" })
    this.#client = client
    this.#statement = statement
    this.callback = callback
  }

  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire
    wire.once("parameterDescription", ({ dataTypeIDs }) => {
      this.#oids = dataTypeIDs
    })
    wire.parse({ name: "", text: this.#statement })
    wire.describe({ type: "S", name: "" })
    wire.sync()
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, "text"),
    }))
  }

  handleError(error: Error): void {
    this.callback(error, { oids: [], columns: [] })
  }

  handleReadyForQuery(): void {
    this.callback(null, { oids: this.#oids, columns: this.#columns })
  }
}

/** What of the driver's connection is used here. */
interface Wire {
  once(event: "parameterDescription", listener: (message: { readonly dataTypeIDs: readonly number[] }) => void): void
  parse(message: { name: string; text: string }): void
  describe(message: { type: "S"; name: "" }): void
  sync(): void
}
