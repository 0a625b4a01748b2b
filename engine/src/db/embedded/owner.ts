// The owner file: one process at a time runs the server of a data folder; a dead owner is replaced.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EmbeddedError } from "./embedded-error.ts"
import { processIdentity } from "./processes.ts"

interface Owner {
  readonly pid: number
  readonly identity: string
}

/** Takes the folder or throws when a living process holds it. The answer gives it back. */
export function takeOwnership(folder: string): () => void {
  const file = join(folder, "owner.json")
  const mine = JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) ?? "" } satisfies Owner)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, mine, { mode: 0o600 })
  try {
    while (!tryLink(draft, file)) removeDeadOwner(folder, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (readOr(file) === mine) rmSync(file, { force: true })
  }
}

// A link appears whole or not at all, and fails when the name is taken: the one atomic lock every file system has.
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

function removeDeadOwner(folder: string, file: string): void {
  const text = readOr(file)
  if (text === undefined) return
  const owner = parseOwner(text)
  if (owner && processIdentity(owner.pid) === owner.identity) {
    const who = owner.pid === process.pid ? "this process" : `process ${owner.pid}`
    throw new EmbeddedError(
      `data folder ${folder} is already in use by ${who}; stop it or choose another with WE_DATA_DIR`,
    )
  }
  // Two newcomers may find the same dead owner: the one that moved the other's fresh file away puts it back.
  const aside = `${file}.dead.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  if (readOr(aside) !== text) tryLink(aside, file)
  rmSync(aside, { force: true })
}

function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner
    return Number.isInteger(owner.pid) && typeof owner.identity === "string" ? owner : undefined
  } catch {
    return undefined
  }
}

function readOr(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
