// Kills one part at a time, at random, with -9, and starts it again.
import { setTimeout as sleep } from "node:timers/promises"
import type { Stage } from "../stage/stage.ts"

export interface Victim {
  readonly name: string
  kill(): Promise<unknown>
  start(): Promise<unknown>
}

export interface KillerOptions {
  /** Between the return of one part and the death of the next, on average. */
  readonly everyMs: number
  /** From 0 to 1. */
  readonly random: () => number
  readonly signal: AbortSignal
  readonly tell: (victim: string) => void
}

export function victimsOf({ api, worker, relay, database, kafka }: Stage): readonly Victim[] {
  const broker = kafka && { name: "broker", kill: () => kafka.kill(), start: () => kafka.restart() }
  const server = database && { name: "database", kill: () => database.kill(), start: () => database.start() }
  return [api, worker, relay, server, broker].filter((victim) => victim !== undefined)
}

/** Until the signal; each part once before chance decides, so that a short run meets all of them. Returns how often each was killed. */
export async function killAtRandom(
  victims: readonly Victim[],
  { everyMs, random, signal, tell }: KillerOptions,
): Promise<ReadonlyMap<string, number>> {
  const deaths = new Map<string, number>()
  const first = [...victims]
  while (!signal.aborted || first.length > 0) {
    const victim = first.shift() ?? (victims[Math.floor(random() * victims.length)] as Victim)
    tell(victim.name)
    await victim.kill()
    await sleep(random() * 1_000)
    await victim.start()
    deaths.set(victim.name, (deaths.get(victim.name) ?? 0) + 1)
    if (!signal.aborted) await sleep(everyMs * (0.5 + random()), undefined, { signal }).catch(() => {})
  }
  return deaths
}
