// What a run that has given its worker back waits for: one reason for each wait that it has come to.

import { isoTime } from "../../support/iso-time.ts"
import { stepOfEnding } from "../instances/child-ending.ts"
import type { Waiting } from "./waiting.ts"

export interface RunWait {
  readonly name: string
  readonly since: number
  /** Null: until its signal comes. */
  readonly until: number | null
  /** Null: it sleeps. Undefined where the version before has recorded it. */
  readonly signal: string | null | undefined
  /** Why the last signal or answer was refused. */
  readonly refused?: string
}

export interface ParkedRun {
  readonly place: { readonly stepId?: string; readonly since: string }
  /** Empty where the version before has left none to find. */
  readonly waits: readonly RunWait[]
  /** The signals that end any of them. */
  readonly waitsFor: readonly string[]
  /** When the first of them that has a time is over. */
  readonly visibleAt: number | null
}

export function whyRunWaits({ place, waits, waitsFor, visibleAt }: ParkedRun): readonly Waiting[] {
  if (waits.length === 0) return waitsAsAWhole(place, waitsFor, visibleAt)
  const signals = signalsOf(waits, waitsFor)
  return waits.map((wait) => {
    const here = { ...place, since: isoTime(wait.since) }
    const signal = signals.get(wait.name)
    return signal === undefined ? sleeps(here, wait.until, wait.name) : hears(here, [signal], wait)
  })
}

function waitsAsAWhole(place: ParkedRun["place"], signals: readonly string[], until: number | null): Waiting[] {
  return [signals.length > 0 ? hears(place, signals, { until }) : sleeps(place, until)]
}

const sleeps = (place: ParkedRun["place"], until: number | null, step?: string): Waiting => ({
  kind: "sleep",
  ...place,
  detail: { ...(step === undefined ? {} : { step }), dueAt: isoTime(until ?? 0) },
})

interface Heard extends Partial<Pick<RunWait, "name" | "refused">> {
  readonly until: number | null
}

function hears(place: ParkedRun["place"], signals: readonly string[], wait: Heard): Waiting {
  const step = wait.name === undefined ? {} : { step: wait.name }
  const child = stepOfEnding(signals[0] as string)
  if (child !== undefined) return { kind: "child", ...place, detail: { ...step, child } } as const
  const due = wait.until === null ? {} : { dueAt: isoTime(wait.until) }
  const refused = wait.refused === undefined ? {} : { refused: wait.refused }
  return { kind: "signal", ...place, detail: { ...step, signals, ...due, ...refused } } as const
}

/** By the name of the wait. A record of the previous version has no signal: it is found by name, and then among those that are left. */
function signalsOf(waits: readonly RunWait[], waitsFor: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { name, signal } of waits) {
    const own = signal === undefined ? waitsFor.find((one) => one === name || stepOfEnding(one) === name) : signal
    if (own !== undefined && own !== null) found.set(name, own)
  }
  const named = new Set(found.values())
  const left = waitsFor.filter((signal) => !named.has(signal))
  const unclear = waits.filter(({ name, signal }) => signal === undefined && !found.has(name))
  // A sleep has an end: a wait without one can only be for a signal.
  for (const { name } of [...unclear].sort((a, b) => Number(a.until !== null) - Number(b.until !== null))) {
    const signal = left.shift()
    if (signal !== undefined) found.set(name, signal)
  }
  return found
}
