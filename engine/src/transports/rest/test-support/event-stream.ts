// A client of the stream: reads the events of one connection in the order in which they come.
import { loadContract } from "./contract.ts"

export interface StreamEvent {
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
  readonly data: any
}

export interface EventStream {
  readonly status: number
  readonly headers: Headers
  /** What came before the first event. */
  opening(): Promise<string>
  /** The next one of that name; others in between are passed over. Undefined once the stream has ended. */
  next(event?: string): Promise<StreamEvent | undefined>
  close(): void
}

export async function openStream(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const hangUp = new AbortController()
  const response = await fetch(url, { headers, signal: hangUp.signal })
  const blocks = blocksOf(response)
  return {
    status: response.status,
    headers: response.headers,
    opening: async () => (await blocks.next()).value ?? "",
    async next(event) {
      for (;;) {
        const { value, done } = await blocks.next()
        if (done) return undefined
        const found = /^event: (\w+)\ndata: (.*)$/.exec(value)
        if (found && (event === undefined || found[1] === event)) return judged(found[1] as string, found[2] as string)
      }
    },
    close: () => hangUp.abort(),
  }
}

const SCHEMAS: Readonly<Record<string, string>> = { overview: "Overview", instance: "InstanceChange" }

/** Whatever a test is about: no event may differ from the contract. */
function judged(event: string, text: string): StreamEvent {
  const contract = loadContract()
  const data = JSON.parse(text)
  const faults = contract.faultsIn(SCHEMAS[event] ?? event, data)
  if (faults.length > 0) throw new Error(`not what the contract says:\n${faults.join("\n")}\n${text}`)
  return { event, data }
}

async function* blocksOf({ body }: Response): AsyncGenerator<string, undefined> {
  let rest = ""
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    rest += chunk
    const blocks = rest.split("\n\n")
    rest = blocks.pop() ?? ""
    yield* blocks
  }
}
