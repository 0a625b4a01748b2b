// The cluster: made once by initdb, whole or not at all, with a generated password; refused when another version made it.
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EmbeddedError } from "./embedded-error.ts"
import type { Folder } from "./folder.ts"
import type { Launcher } from "./launcher.ts"

export const ROLE = "millrace"
export const DATABASE = "millrace"

/** Returns the password of the cluster's only role. `sync: false` skips initdb's fsync, for throw-away test servers. */
export async function ensureCluster(folder: Folder, launcher: Launcher, options: { sync: boolean }): Promise<string> {
  removeDrafts(folder)
  if (!isCluster(folder)) await initialise(folder, launcher, options.sync)
  return readPassword(folder)
}

function isCluster(folder: Folder): boolean {
  if (existsSync(join(folder.cluster, "PG_VERSION"))) return true
  if (!existsSync(folder.cluster) || readdirSync(folder.cluster).length === 0) return false
  throw new EmbeddedError(`${folder.cluster} holds files but no database; move it away`)
}

/** Before anything is written: a folder of another version is left exactly as it is. */
export function checkVersion(folder: Folder, major: string): void {
  const file = join(folder.cluster, "PG_VERSION")
  const found = existsSync(file) ? readFileSync(file, "utf8").trim() : major
  if (found === major) return
  const advice = `move that folder away for a new database, or run the PostgreSQL ${found} it needs and set WE_POSTGRES_DSN`
  throw new EmbeddedError(
    `data folder ${folder.root} was made by PostgreSQL ${found}, this is PostgreSQL ${major}: ${advice}`,
  )
}

const isDraft = (name: string): boolean => name.startsWith("postgres.new-")

function removeDrafts(folder: Folder): void {
  for (const name of readdirSync(folder.root).filter(isDraft)) {
    rmSync(join(folder.root, name), { recursive: true, force: true })
  }
}

async function initialise(folder: Folder, launcher: Launcher, sync: boolean): Promise<void> {
  const draft = join(folder.root, `postgres.new-${process.pid}`)
  const pwfile = join(folder.root, "postgres.new-password")
  const password = existsSync(folder.passwordFile) ? readPassword(folder) : randomBytes(24).toString("base64url")
  writeFileSync(pwfile, password, { mode: 0o600 })
  launcher.give(pwfile)
  const auth = ["--auth=scram-sha-256", `--username=${ROLE}`, `--pwfile=${pwfile}`]
  await must(launcher, "initdb", [
    "-D",
    draft,
    ...auth,
    "--encoding=UTF8",
    "--locale=C",
    ...(sync ? [] : ["--no-sync"]),
  ])
  await must(launcher, "postgres", ["--single", "-D", draft, "postgres"], `CREATE DATABASE ${DATABASE}\n`)
  renameSync(pwfile, folder.passwordFile)
  renameSync(draft, folder.cluster)
}

async function must(launcher: Launcher, binary: "initdb" | "postgres", args: string[], stdin?: string): Promise<void> {
  const { ok, output } = await launcher.run(binary, args, stdin)
  if (!ok) throw new EmbeddedError(`PostgreSQL's ${binary} failed: ${lastLine(output)}`)
}

const lastLine = (output: string): string => {
  const lines = output.split("\n").filter((line) => line.trim() !== "")
  return lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1) ?? "it said nothing"
}

function readPassword(folder: Folder): string {
  try {
    return readFileSync(folder.passwordFile, "utf8").trim()
  } catch (error) {
    throw new EmbeddedError(
      `the password of the embedded database is missing (${folder.passwordFile}): put it back, or move ${folder.root} away`,
      error,
    )
  }
}
