// How much memory a process has resident, in MiB.
import { readFileSync } from "node:fs"

export const residentMiB = (pid) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024)
