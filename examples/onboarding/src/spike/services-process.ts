// The six services as a process of their own, and what they have counted.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Service } from "../call.ts"
import type { Message } from "../services/main.ts"
import type { Urls } from "../services/start-services.ts"
import type { Stats } from "../services/tally.ts"

const MAIN = fileURLToPath(new URL("../services/main.js", import.meta.url))

export type AllStats = Readonly<Record<Service, Stats>>

export interface ServicesProcess {
  readonly urls: Urls
  onAccountCreated(listener: (email: string) => void): void
  stats(): Promise<AllStats>
  stop(): Promise<void>
}

export async function startServicesProcess(seed: number): Promise<ServicesProcess> {
  const child = fork(MAIN, { env: { ...process.env, SEED: String(seed) } })
  const urls = await whereabouts(child)
  return {
    urls,
    onAccountCreated: (listener) =>
      child.on("message", (message: Message) => "created" in message && listener(message.created)),
    stats: () => readStats(urls),
    stop: async () => {
      const end = once(child, "exit")
      child.disconnect()
      await end
    },
  }
}

async function whereabouts(child: ChildProcess): Promise<Urls> {
  const [message] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [Message | number]
  if (typeof message === "object" && "urls" in message) return message.urls
  throw new Error(`the services ended before they began: ${message}`)
}

export async function readStats(urls: Urls): Promise<AllStats> {
  const read = async ([name, url]: [string, string]) => [name, await (await fetch(`${url}/stats`)).json()]
  return Object.fromEntries(await Promise.all(Object.entries(urls).map(read))) as AllStats
}
