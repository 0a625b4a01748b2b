// Limits as people write them: `600/60s`, and `admin=600/60s` for a class of routes.
import { parseDuration, shortDuration } from "../kernel/durations.ts"

/** At most this many calls in any interval of this length. */
export interface CallLimit {
  readonly requests: number
  readonly windowMs: number
}

const MOST_REQUESTS = 1_000_000
const LONGEST_MS = 86_400_000

export const LIMIT_HINT =
  "write calls and a window, such as 600/60s: at most 1000000 calls, and whole seconds up to 24h"

/** The classes whose limit can be set. Probes have none: a replica that is not asked is taken for dead. */
export const LIMITED_CLASSES = ["public", "login", "gateway", "worker", "client", "stream", "admin", "metrics"] as const

export type LimitedClass = (typeof LIMITED_CLASSES)[number]

/** Undefined where the text is none. */
export function readLimit(text: string): CallLimit | undefined {
  const [, requests = "", window = ""] = /^(\d{1,7})\/(\w{1,20})$/.exec(text) ?? []
  const limit = { requests: Number(requests), windowMs: parseDuration(window) ?? 0 }
  return isLimit(limit) ? limit : undefined
}

export const isLimit = ({ requests, windowMs }: CallLimit): boolean =>
  requests >= 1 && requests <= MOST_REQUESTS && windowMs >= 1_000 && windowMs <= LONGEST_MS && windowMs % 1_000 === 0

export const writeLimit = ({ requests, windowMs }: CallLimit): string => `${requests}/${shortDuration(windowMs)}`

export const isLimitOfClass = (text: string): boolean => readClassLimit(text) !== undefined

/** If one class of routes has several limits, the last one counts. */
export const readClassLimits = (texts: readonly string[]): Partial<Record<LimitedClass, CallLimit>> =>
  Object.fromEntries(texts.flatMap((text) => [readClassLimit(text)].filter((entry) => entry !== undefined)))

function readClassLimit(text: string): [LimitedClass, CallLimit] | undefined {
  const [word = "", rest = "", ...more] = text.split("=")
  const routeClass = LIMITED_CLASSES.find((known) => known === word)
  const limit = readLimit(rest)
  return routeClass && limit && more.length === 0 ? [routeClass, limit] : undefined
}
