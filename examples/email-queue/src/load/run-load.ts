// Puts the load of so many users on an engine for so long, while workers of this process take the jobs off again.
import { setMaxListeners } from "node:events"
import { EngineClient, Runner } from "@millrace/sdk"
import { classesOf } from "./classes.ts"
import { Tally } from "./tally.ts"
import { User } from "./user.ts"

export interface LoadOptions {
  readonly url: string
  /** Where the engine asks for keys: with the scopes jobs:write and jobs:read, and jobs:work for workers. */
  readonly apiKey?: string | undefined
  readonly users: number
  readonly seconds: number
  readonly workers: number
}

export async function runLoad({ url, apiKey, users, seconds, workers }: LoadOptions): Promise<Tally> {
  const client = new EngineClient({ url, apiKey, maxSockets: users })
  const runners = Array.from({ length: workers }, (_, at) =>
    new Runner({ client, workerId: `load-${at}`, handlers: { send_email: () => ({ sent: true }) } }).start(),
  )
  const tally = new Tally()
  const over = AbortSignal.timeout(seconds * 1_000)
  setMaxListeners(0, over)
  await Promise.all(classesOf(users).map((each) => new User(client, each, tally).act(over)))
  await Promise.all(runners.map((runner) => runner.stop()))
  client.close()
  return tally
}
