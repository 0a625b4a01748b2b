// What `millrace keys create`, `list` and `revoke` do in the database.
import { type Config, ConfigError } from "../../../config.ts"
import { migrate } from "../../../db/migrate.ts"
import { type CallLimit, LIMIT_HINT, readLimit, writeLimit } from "../../../model/guard/class-limits.ts"
import { parseDuration } from "../../../model/kernel/durations.ts"
import { createApiKey, limitOf as limitOfKey, listApiKeys, revokeApiKey } from "../../../operations/people/api-keys.ts"
import { isoTime } from "../../../support/iso-time.ts"
import { safeText } from "../../../support/redact.ts"
import { jsonText } from "../../drawing/cell-text.ts"
import { type Canvas, table } from "../../drawing/table.ts"
import { given } from "../../options/values.ts"
import { say } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { type Print, withDatabase } from "./visit-database.ts"

interface NewKey {
  readonly name: string
  /** Everything, unless it is given. */
  readonly scope?: readonly string[]
  readonly expires?: string
  readonly limit?: string
  readonly json?: boolean
}

const EVERYTHING = ["admin"]

export const runKeysCreate = (config: Config, asked: NewKey, print: Print): Promise<void> =>
  withDatabase(config, async (db) => {
    const { name, scope: scopes = EVERYTHING, expires, limit, json } = asked
    const expiresAt = expires === undefined ? undefined : Date.now() + lifetime(expires)
    const limited = limit === undefined ? undefined : limitOf(limit)
    await migrate(db)
    const { id, key } = await createApiKey(db, { name, scopes, expiresAt, limit: limited })
    if (json)
      return print(jsonText({ id, name, scopes, ...given({ expiresAt: expiresAt && isoTime(expiresAt) }), key }, 2))
    print(`Key ${id} (${name}) is made; it may do: ${scopes.join(", ")}.`)
    if (asked.scope === undefined)
      print(
        `No --scope was given, so this key may do EVERYTHING. For less: \`millrace keys revoke ${id}\`, and \`keys create\` with --scope, such as --scope jobs:work.`,
      )
    print(`It is shown this once and cannot be read again:\n\n${key}\n`)
  })

export const runKeysList = (config: Config, around: Surroundings): Promise<void> =>
  withDatabase(config, async (db) => {
    await migrate(db)
    say(around, {}, await listApiKeys(db), drawKeys)
  })

type KeyRow = Awaited<ReturnType<typeof listApiKeys>>[number]

const drawKeys = (rows: readonly KeyRow[], canvas: Canvas): readonly string[] =>
  rows.length === 0
    ? ["There are no keys. `millrace keys create <name>` makes one."]
    : table<KeyRow>(
        [
          { title: "ID", of: ({ id }) => id },
          { title: "NAME", of: ({ name }) => safeText(name) },
          { title: "SCOPES", of: ({ scopes }) => scopes.join(",") },
          { title: "STATE", of: state },
          { title: "USE", of: used },
          { title: "LIMIT", of: limited, ifAny: true },
        ],
        rows,
        canvas,
      )

export const runKeysRevoke = (config: Config, id: string, print: Print): Promise<void> =>
  withDatabase(config, async (db) => {
    await revokeApiKey(db, id)
    print(`Key ${safeText(id)} is revoked; every engine refuses it within five seconds.`)
  })

function lifetime(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms === 0)
    throw new ConfigError([`--expires ${safeText(text)}: must be a duration such as 12h, 90d or P90D`])
  return ms
}

function limitOf(text: string): CallLimit {
  const limit = readLimit(text)
  if (!limit) throw new ConfigError([`--limit ${safeText(text)}: ${LIMIT_HINT}`])
  return limit
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)

function state(row: { revoked_at: number | null; expires_at: number | null; created_at: number }): string {
  if (row.revoked_at !== null) return `revoked ${day(row.revoked_at)}`
  if (row.expires_at === null) return `made ${day(row.created_at)}`
  return `${row.expires_at < Date.now() ? "expired" : "expires"} ${day(row.expires_at)}`
}

function limited(row: KeyRow): string {
  const limit = limitOfKey(row)
  return limit ? writeLimit(limit) : ""
}

const used = ({ last_used_at }: { last_used_at: number | null }): string =>
  last_used_at === null ? "never used" : `last used ${day(last_used_at)}`
