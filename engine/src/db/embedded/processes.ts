// What is known of another process: whether it is still the same one, and what it runs.
import { execFileSync } from "node:child_process"
import { readFileSync, readlinkSync } from "node:fs"

/** Tells a process from a later one with the same pid; undefined when it is dead. */
export function processIdentity(pid: number): string | undefined {
  if (process.platform !== "linux") return ps(pid, "lstart=")
  const stat = readOr(`/proc/${pid}/stat`)
  // The name in parentheses may hold anything, so fields are counted from its end: state first, start time twentieth.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
  if (!fields || fields[0] === "Z" || fields[0] === "X") return undefined
  return `${readOr("/proc/sys/kernel/random/boot_id")?.trim() ?? ""}/${fields[19]}`
}

export const isAlive = (pid: number): boolean => processIdentity(pid) !== undefined

/** The postmaster works inside its cluster folder, wherever that was moved to. */
export function runsPostgresIn(pid: number, cluster: string): boolean {
  if (process.platform !== "linux") return ps(pid, "command=")?.includes(cluster) ?? false
  const program = readOr(`/proc/${pid}/cmdline`)?.split("\0")[0] ?? ""
  return /postgres(:|$)/.test(program) && linkOr(`/proc/${pid}/cwd`) === cluster
}

function ps(pid: number, column: string): string | undefined {
  try {
    return (
      execFileSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8", stdio: "pipe" }).trim() || undefined
    )
  } catch {
    return undefined
  }
}

function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

function linkOr(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
