// One end of the line between a parent process and one of its children: either end asks questions, and answers those of the other.

/** What carries the messages; they are plain data. */
export interface Carrier {
  send(message: Message, failed: (error: Error | null) => void): void
}

export type Message =
  | { readonly kind: "question"; readonly id: number; readonly what: string; readonly about: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly value?: unknown; readonly error?: string }

export type Answers = Readonly<Record<string, (about: never) => unknown>>

interface Open {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

export class Line {
  readonly #carrier: Carrier
  readonly #answers: Answers
  readonly #open = new Map<number, Open>()
  #next = 0
  #cutFor: Error | undefined

  constructor(carrier: Carrier, answers: Answers) {
    this.#carrier = carrier
    this.#answers = answers
  }

  /** Rejects with what the other end says, and when the line is cut. */
  ask(what: string, about?: unknown): Promise<unknown> {
    if (this.#cutFor) return Promise.reject(this.#cutFor)
    const id = ++this.#next
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.#send({ kind: "question", id, what, about })
    })
  }

  hear(message: Message): void {
    if (message.kind === "question") void this.#answer(message)
    else this.#settle(message)
  }

  /** The other end is gone: no answer comes any more. */
  cut(reason: string): void {
    this.#cutFor = new Error(reason)
    for (const { reject } of this.#open.values()) reject(this.#cutFor)
    this.#open.clear()
  }

  async #answer({ id, what, about }: Message & { readonly kind: "question" }): Promise<void> {
    try {
      const answer = this.#answers[what]
      if (!answer) throw new Error(`there is no answer to ${what}`)
      this.#send({ kind: "answer", id, value: await answer(about as never) })
    } catch (error) {
      this.#send({ kind: "answer", id, error: error instanceof Error ? error.message : String(error) })
    }
  }

  #settle({ id, value, error }: Message & { readonly kind: "answer" }): void {
    const open = this.#open.get(id)
    this.#open.delete(id)
    if (error === undefined) open?.resolve(value)
    else open?.reject(new Error(error))
  }

  /** A message that cannot be carried is not sent again: the process at the other end is ending. */
  #send(message: Message): void {
    this.#carrier.send(message, (error) => {
      if (error && message.kind === "question") this.#settle({ kind: "answer", id: message.id, error: error.message })
    })
  }
}
