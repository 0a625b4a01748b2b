// Gives the code of virtual processes virtual timers, clocks and random bytes, by their usual names. Code outside of any process, such as the
// simulator's own connections, keeps the real ones.
import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import timersPromises from "node:timers/promises"
import { currentProcess, type VirtualProcess } from "./virtual-process.ts"
import { EPOCH_MS, Task, VirtualTime, VirtualTimer } from "./virtual-time.ts"

const real = { setTimeout: globalThis.setTimeout, setImmediate: globalThis.setImmediate }

/** For the simulator itself: everything that could go on at once has gone on. */
export const realTurn = (): Promise<void> => new Promise((resolve) => real.setImmediate(() => resolve()))
export const realTimer = real.setTimeout
export const realSleep = (ms: number): Promise<void> => new Promise((resolve) => realTimer(resolve, ms))

const times = new WeakMap<VirtualProcess, VirtualTime>()
let isInstalled = false

/** A time of its own, for the processes that are put into it. */
export function beginTime(): VirtualTime {
  if (!isInstalled) install()
  isInstalled = true
  return new VirtualTime()
}

/** The process lives in this time, also after its end: what is left of it never gets into the time of another seed. */
export const putInto = (time: VirtualTime, process: VirtualProcess): void => void times.set(process, time)

function here(): { readonly time: VirtualTime; readonly process: VirtualProcess } | undefined {
  const process = currentProcess()
  const time = process && times.get(process)
  return time && { time, process }
}

type Callback = (...args: unknown[]) => void

function install(): void {
  installTimers("setTimeout", false)
  installTimers("setInterval", true)
  installSleep()
  installClears()
  installImmediates()
  installClocks()
  installChance()
  syncBuiltinESMExports()
}

function installTimers(name: "setTimeout" | "setInterval", repeats: boolean): void {
  const set = globalThis[name] as unknown as (work: Callback, ms?: number, ...args: unknown[]) => unknown
  const virtual = (work: Callback, ms = 1, ...args: unknown[]): unknown => {
    const at = here()
    if (!at) return set(work, ms, ...args)
    return new VirtualTimer({ process: at.process, work: () => work(...args) }, at.time, { ms, repeats })
  }
  Object.assign(globalThis, { [name]: virtual })
}

function installSleep(): void {
  const sleep = timersPromises.setTimeout
  const virtual = (ms?: number, value?: unknown, options?: object) =>
    here() ? new Promise((resolve) => setTimeout(() => resolve(value), ms)) : sleep(ms, value, options)
  Object.assign(timersPromises, { setTimeout: virtual })
}

function installClears(): void {
  for (const name of ["clearTimeout", "clearInterval"] as const) {
    const clear = globalThis[name]
    const virtual = (timer: unknown) => {
      if (timer instanceof VirtualTimer) timer.time.clear(timer)
      else clear(timer as NodeJS.Timeout)
    }
    Object.assign(globalThis, { [name]: virtual })
  }
}

function installImmediates(): void {
  const clear = globalThis.clearImmediate
  const set = (work: Callback, ...args: unknown[]): unknown => {
    const at = here()
    if (!at) return real.setImmediate(() => work(...args))
    const task = new Task(at.process, () => work(...args))
    at.time.queue(task)
    return task
  }
  const virtualClear = (task: unknown) => {
    if (task instanceof Task) task.isCleared = true
    else clear(task as NodeJS.Immediate)
  }
  Object.assign(globalThis, { setImmediate: set, clearImmediate: virtualClear })
}

/** The clock of a process has no part of a millisecond: sums of such numbers do not depend on when the simulation runs. */
function installClocks(): void {
  const now = performance.now.bind(performance)
  const { timeOrigin } = performance
  Object.defineProperty(performance, "now", { value: () => here()?.time.nowMs ?? now(), configurable: true })
  const origin = { get: () => (here() ? EPOCH_MS : timeOrigin), configurable: true }
  Object.defineProperty(performance, "timeOrigin", origin)
  const wallClock = Date.now
  Date.now = () => {
    const at = here()
    return at ? EPOCH_MS + at.time.nowMs : wallClock()
  }
}

function installChance(): void {
  const { randomFillSync, randomBytes } = crypto
  const { random } = Math
  const fill = (bytes: Uint8Array) => here()?.process.fill(bytes) ?? randomFillSync(bytes)
  const make = (size: number) => here()?.process.fill(Buffer.alloc(size)) ?? randomBytes(size)
  Object.assign(crypto, { randomFillSync: fill, randomBytes: make })
  Math.random = () => here()?.process.dice.next() ?? random()
}
