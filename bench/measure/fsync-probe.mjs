// What one durable write costs on the cluster's disk just now: the median of 25 writes of 8 kB, each with fdatasync.
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs"
import { join } from "node:path"
import { median, round } from "./statistics.mjs"
import { now } from "./wait.mjs"

export function probeFsyncMs(directory) {
  const path = join(directory, `fsync-probe-${process.pid}`)
  const file = openSync(path, "w")
  const page = Buffer.alloc(8192, 1)
  const samples = Array.from({ length: 25 }, () => {
    const startedAt = now()
    writeSync(file, page, 0, page.length, 0)
    fdatasyncSync(file)
    return now() - startedAt
  })
  closeSync(file)
  unlinkSync(path)
  return round(median(samples))
}
