// The statements that one driver has prepared, by the messages that prepare them. A backend that does not have one, or has another of the
// same name, is sent the message before the statement is used.
const BIND = 0x42
const CLOSE = 0x43
const PARSE = 0x50
const QUERY = 0x51
const SYNC = 0x53
export const TERMINATE = 0x58
const NAME_AT = 5

export interface Prepared {
  readonly name: string
  /** Tells apart statements of one name. */
  readonly text: string
  readonly messages: readonly Buffer[]
}

/** By name: what a backend has. */
export type PreparedOnBackend = Map<string, Prepared>

/** One that the server answers. */
export const isAsking = (message: Buffer): boolean => message[0] === SYNC || message[0] === QUERY

const all = new Map<string, Prepared>()

export class PreparedStatements {
  readonly #mine = new Map<string, Prepared>()

  /** The messages as they go to this backend, and the statements that are new to it. */
  prepare(messages: readonly Buffer[], known: PreparedOnBackend): { chunks: Buffer[]; used: Prepared[] } {
    const chunks: Buffer[] = []
    const used: Prepared[] = []
    for (const message of messages) {
      if (this.#isKept(message)) continue
      const statement = message[0] === BIND ? this.#mine.get(nameIn(message, NAME_AT + 1)) : undefined
      if (statement && known.get(statement.name) !== statement) {
        known.set(statement.name, statement)
        chunks.push(...statement.messages)
        used.push(statement)
      }
      chunks.push(message)
    }
    return { chunks, used }
  }

  /** A statement with a name is prepared where it is used; one without is gone with the next. */
  #isKept(message: Buffer): boolean {
    if (message[0] === CLOSE) return true
    if (message[0] !== PARSE) return false
    const name = nameIn(message, NAME_AT)
    if (name !== "") this.#mine.set(name, statementOf(name, message))
    return name !== ""
  }
}

function statementOf(name: string, message: Buffer): Prepared {
  const text = message.toString("latin1")
  const statement = all.get(text) ?? { name, text, messages: [closing(name), Buffer.from(message)] }
  all.set(text, statement)
  return statement
}

const nameIn = (message: Buffer, at: number): string => message.toString("latin1", at, message.indexOf(0, at))

function closing(name: string): Buffer {
  const message = Buffer.from(`C....S${name}\0`, "latin1")
  message.writeInt32BE(message.length - 1, 1)
  return message
}
