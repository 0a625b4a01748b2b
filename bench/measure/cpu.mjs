// CPU seconds from /proc: of this process, of the store's process tree, and of everything else (the noise of a run).
import { readdirSync, readFileSync } from "node:fs"
import { round } from "./statistics.mjs"
import { now, sleep } from "./wait.mjs"

const TICKS_PER_SECOND = 100

/** Starts counting; the returned function gives what was used since, and per item when it is told how many there were. */
export function startCpuMeter(storePid) {
  const before = { node: process.cpuUsage(), store: treeCpu(storePid), machine: machineCpu(), at: now() }
  return (items) => {
    const used = process.cpuUsage(before.node)
    const node = (used.user + used.system) / 1e6
    const store = treeCpu(storePid) - before.store
    const seconds = (now() - before.at) / 1000
    const others = Math.max(0, machineCpu() - before.machine - node - store) / seconds
    const total = {
      nodeCpuS: round(node),
      storeCpuS: round(store),
      cpuS: round(node + store),
      otherCores: round(others),
    }
    return items ? { ...total, ...cpuPerItem({ node, store, items }) } : total
  }
}

/** CPU seconds of Node and of the store as microseconds per item. */
export function cpuPerItem({ node, store, items }) {
  const us = (seconds) => round((seconds / items) * 1e6)
  return { nodeUs: us(node), storeUs: us(store), cpuUs: us(node + store) }
}

/** Waits for three windows in a row with under 0.15 cores busy; gives up after `limitS` and says how long it took. */
export async function waitForQuietMachine(limitS) {
  const startedAt = now()
  const windowMs = 500
  for (let calm = 0; calm < 3 && now() - startedAt < limitS * 1000; ) {
    const before = machineCpu()
    await sleep(windowMs)
    calm = machineCpu() - before < (0.15 * windowMs) / 1000 ? calm + 1 : 0
  }
  return round((now() - startedAt) / 1000, 1)
}

/** CPU seconds so far of these processes and their children, living or not. */
export const cpuOf = (pids) => pids.reduce((sum, pid) => sum + treeCpu(pid), 0)

// A server forks a process per connection: count it, its living children, and the children it has already reaped.
function treeCpu(rootPid) {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))
  const stats = pids.map(readStat).filter((stat) => stat && (stat.pid === rootPid || stat.parent === rootPid))
  return stats.reduce((sum, stat) => sum + stat.cpuS, 0)
}

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number)
    const ticks = fields[11] + fields[12] + fields[13] + fields[14]
    return { pid: Number(pid), parent: fields[1], cpuS: ticks / TICKS_PER_SECOND }
  } catch {
    return undefined // ended between the listing and the read
  }
}

function machineCpu() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync("/proc/stat", "utf8")
    .split("\n", 1)[0]
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND
}
