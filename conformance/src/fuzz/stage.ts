// The stage of the fuzzer: a real engine in a process of its own on a private PostgreSQL, and callers with every scope and with none.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Database } from "../../../engine/dist/db/database.js"
import { startEmbedded } from "../../../engine/dist/db/embedded.js"
import { SCOPES } from "../../../engine/dist/model/people/scopes.js"
import { type Examination, examine, type Finding } from "../../../engine/dist/operations/upkeep/doctor.js"
import { castOn } from "../attack/cast.ts"
import { tellFinding } from "../chaos/verify.ts"
import { type EngineProcess, startEngineProcess } from "../run/engine-process.ts"
import { adminOf, type Caller } from "./rest/rest-request.ts"
import { NEXT_WORKFLOW } from "./values/definitions.ts"

export interface Stage {
  readonly engine: EngineProcess
  readonly callers: readonly (readonly [number, Caller])[]
  /** Ids of the callers' keys. */
  readonly keyIds: ReadonlySet<string>
  /** What the doctor says, where it found something. */
  examine(): Promise<string | undefined>
  close(): Promise<void>
}

const CLI = fileURLToPath(new URL("../../../engine/dist/cli.js", import.meta.url))

/** What has to hold does not depend on what a power cut would leave. */
const POSTGRES = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: 60 }

/** The guard only notes: the fuzzer does what it is there to refuse. */
const ENV = {
  WE_AUTH: "required",
  WE_JWT_SECRET: "for an hour, and for this run alone: 0123456789",
  WE_LOG_LEVEL: "error",
  WE_REGISTRATION: "on",
  WE_TRUSTED_PROXIES: "127.0.0.1",
  SHADOW_MODE_ENABLED: "true",
  RATE_LIMIT_REQUESTS: "1000000",
  DB_MAX_CONNS: "8",
}

const OF_ADMIN = 85
const OF_STRANGERS = 3

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-fuzz-"))
  const closes: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async () => {
    for (const one of closes.splice(0).reverse()) await one()
  }
  try {
    const { dsn, stop } = await startEmbedded({ dataDir: join(folder, "database"), settings: POSTGRES })
    closes.push(stop)
    const engine = await startEngineProcess(CLI, { ...ENV, WE_POSTGRES_DSN: dsn })
    closes.push(() => engine.stop())
    const { callers, keyIds } = await callersOn(dsn)
    await upload(engine.urls.rest, adminOf(callers))
    return { engine, callers, keyIds, examine: () => lookInto(dsn), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function upload(url: string, { authorization = "" }: Caller): Promise<void> {
  const headers = { authorization, "content-type": "application/json" }
  const { status } = await fetch(`${url}/v1/definitions`, {
    method: "POST",
    headers,
    body: JSON.stringify(NEXT_WORKFLOW),
  })
  if (status !== 201) throw new Error(`the first definition was answered with ${status}`)
}

async function callersOn(dsn: string): Promise<Pick<Stage, "callers" | "keyIds">> {
  const cast = castOn(dsn)
  const callers: (readonly [number, Caller])[] = [
    [OF_STRANGERS, { scopes: undefined, authorization: undefined }],
    [OF_STRANGERS, { scopes: undefined, authorization: "Bearer mill_0f3a9c1d2e4b5a67_wrong" }],
  ]
  const keyIds = new Set<string>()
  for (const scope of [...SCOPES, "jobs:work:mail", "events:write:order.paid"]) {
    const key = await cast.newKey(scope)
    keyIds.add(key.split("_")[1]!)
    callers.push([scope === "admin" ? OF_ADMIN : 0.5, { scopes: [scope], authorization: `Bearer ${key}` }])
  }
  return { callers, keyIds }
}

async function lookInto(dsn: string): Promise<string | undefined> {
  const db = new Database({ dsn, schema: "millrace", maxConnections: 2, applicationName: "fuzz" })
  try {
    const findings = [...(await findingsOf(db, ["state", "audit"])), ...(await left(db))]
    return findings.length === 0 ? undefined : findings.map(tellFinding).join("\n")
  } finally {
    await db.close()
  }
}

/** Requests lower limits while jobs of them are handed out. The doctor lists it, and says that nothing has to be done. */
const BROUGHT_ABOUT = "brokenLimits"

const findingsOf = async (db: Database, kinds: Required<Examination>["kinds"]): Promise<readonly Finding[]> =>
  (await examine({ db }, { kinds })).filter(({ name }) => name !== BROUGHT_ABOUT)

const LOOKS = 60
const BETWEEN_MS = 500

/** A loop that is late on a busy machine catches up: only what stays counts. */
async function left(db: Database): Promise<readonly Finding[]> {
  for (let look = 1; ; look++) {
    const findings = await findingsOf(db, ["progress"])
    if (findings.length === 0 || look === LOOKS) return findings
    await pause(BETWEEN_MS)
  }
}
