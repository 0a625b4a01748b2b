// Puts the load on the API, waits until everything is settled, and audits the books.
import { setMaxListeners } from "node:events"
import type { Db } from "../payments/database.ts"
import { type Audit, audit, readProviderBooks } from "../stage/audit.ts"
import { openPayments, untilSettled } from "../stage/backlog.ts"
import { HttpClient } from "./http-client.ts"
import { Tally } from "./tally.ts"
import { User } from "./user.ts"

export interface LoadOptions {
  readonly users: number
  /** Requests a second of all users together, as long as answers are quick. */
  readonly rate: number
  readonly seconds: number
}

export interface LoadPlace {
  readonly apiUrl: string
  readonly providerUrl: string
  readonly db: Db
  readonly say: (line: string) => void
}

export interface LoadReport extends Audit {
  readonly tally: Tally
  readonly tookMs: number
  /** From the last request until every payment had ended. */
  readonly settledMs: number
  readonly charged: number
}

const TELL_EVERY_MS = 5_000

export async function runLoad(options: LoadOptions, place: LoadPlace): Promise<LoadReport> {
  const { apiUrl, providerUrl, db, say } = place
  const tally = new Tally()
  const telling = setInterval(() => void tellProgress(tally, db, say).catch(() => {}), TELL_EVERY_MS)
  try {
    const tookMs = await offer(options, apiUrl, tally)
    const overAt = performance.now()
    await untilSettled(db, () => {})
    const settledMs = performance.now() - overAt
    const provider = await readProviderBooks(providerUrl)
    const books = await audit({ db, accepted: tally.accepted, provider })
    return { ...books, tally, tookMs, settledMs, charged: provider.totals.charged }
  } finally {
    clearInterval(telling)
  }
}

async function offer({ users, rate, seconds }: LoadOptions, apiUrl: string, tally: Tally): Promise<number> {
  const client = new HttpClient(users)
  const signal = AbortSignal.timeout(seconds * 1_000)
  setMaxListeners(0, signal)
  const startedAt = performance.now()
  const crowd = { apiUrl, client, tally, signal, pauseMs: (users / rate) * 1_000 }
  await Promise.all(Array.from({ length: users }, () => new User(crowd).act()))
  client.close()
  return performance.now() - startedAt
}

async function tellProgress(tally: Tally, db: Db, say: (line: string) => void): Promise<void> {
  const open = await openPayments(db)
  say(
    `${tally.requests} requests, ${tally.errors} errors, POST P95 ${tally.p95().toFixed(0)} ms; ${open} not settled yet`,
  )
}
