// The shop for a test file: a PostgreSQL of its own, the API without a port, and a provider whose mood a test decides.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Mill, millrace } from "millrace"
import { readHealth } from "../api/health.ts"
import { shopMetrics } from "../api/metrics.ts"
import { paymentsApi } from "../api/server.ts"
import type { Answers } from "../idempotency/answers.ts"
import { MemoryAnswers } from "../idempotency/memory-answers.ts"
import { type Db, openDb, rowsOf } from "../payments/database.ts"
import { findPayment, type Payment } from "../payments/payments.ts"
import { createTables } from "../payments/schema.ts"
import { type ProviderOptions, type RunningProvider, startProvider } from "../provider/server.ts"
import type { Till } from "../settlement/jobs.ts"
import { Provider } from "../settlement/provider.ts"

export const LIFETIMES = { answerSeconds: 86_400, lockSeconds: 30 }
const CALM: ProviderOptions = { hangShare: 0, hangMs: 31_000, successShare: 1 }
const NO_WAIT = { most: 5, baseMs: 1, attemptMs: 60_000 }

export interface TestDatabase {
  readonly url: string
  readonly mill: Mill
  readonly db: Db
  close(): Promise<void>
}

export async function openDatabase(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), "payments-test-"))
  const mill = await millrace({ database: "embedded", dataDir, logLevel: "silent" })
  const content = (name: string) => readFileSync(join(dataDir, name), "utf8").trim()
  const url = `postgres://millrace:${content("password")}@127.0.0.1:${content("port")}/millrace`
  const db = openDb(url, 6)
  await createTables(db)
  const close = async () => {
    await db.end()
    await mill.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { url, mill, db, close }
}

export interface Posted {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, unknown>>
}

/** The API as it is served, with answers of the test's choice. */
export function openApi({ db, mill }: TestDatabase, answers: Answers = new MemoryAnswers(LIFETIMES)) {
  const { registry, created } = shopMetrics(db)
  const app = paymentsApi({
    db,
    mill,
    answers,
    tell: (status) => created.inc({ status }),
    health: () => readHealth({ redisUrl: undefined, kafkaBrokers: undefined }, { db, answers }),
    metrics: () => registry.metrics(),
  })
  const ask = async (method: "GET" | "POST", url: string, body?: unknown, key?: string): Promise<Posted> => {
    const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) }
    const payload = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)
    const answer = await app.inject(method === "GET" ? { method, url } : { method, url, headers, payload })
    const isJson = String(answer.headers["content-type"]).includes("json")
    return { status: answer.statusCode, body: isJson ? answer.json() : { text: answer.body }, headers: answer.headers }
  }
  return {
    post: (url: string, body?: unknown, key?: string) => ask("POST", url, body ?? {}, key),
    get: (url: string) => ask("GET", url),
  }
}

export interface TestTill extends Till {
  readonly mock: RunningProvider
  close(): Promise<void>
}

export async function openTill(
  { db, mill }: TestDatabase,
  mood: Partial<ProviderOptions> = {},
  timeoutMs = 60_000,
): Promise<TestTill> {
  const mock = await startProvider({ ...CALM, ...mood })
  const provider = new Provider(mock.url, timeoutMs)
  return { db, mill, provider, retries: NO_WAIT, mock, close: () => mock.close() }
}

export async function getPayment(db: Db, id: string): Promise<Payment> {
  const payment = await findPayment(db, id)
  if (!payment) throw new Error(`there is no payment ${id}`)
  return payment
}

/** Types of the events of a payment, in their order. */
export async function eventsOf(db: Db, id: string): Promise<readonly string[]> {
  const rows = await rowsOf<{ event_type: string }>(
    db,
    "select event_type from millrace_views.event where key = $1 order by (payload ->> 'version')::integer",
    [id],
  )
  return rows.map(({ event_type }) => event_type)
}
