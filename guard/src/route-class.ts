// What kind of call a request is: each kind has limits of its own.

/**
 * - `public`: anyone may call it, unknown paths included
 * - `login`: it takes a password, a key or a registration
 * - `gateway`: it is forwarded to an upstream
 * - `worker`, `client`, `stream`, `metrics`: calls with a credential of their own; backpressure is their limit
 * - `admin`: changes that operators make
 * - `health`: probes, and the files of the page and the documentation: constant answers
 */
export const ROUTE_CLASSES = [
  "public",
  "login",
  "gateway",
  "worker",
  "client",
  "stream",
  "admin",
  "health",
  "metrics",
] as const

export type RouteClass = (typeof ROUTE_CLASSES)[number]

/** Where the rhythm of a caller is looked at. Workers, clients and scrapes of metrics call on timers by design: theirs says nothing. */
export const RHYTHM_CLASSES = ["public", "login", "gateway"] as const satisfies readonly RouteClass[]

export type RhythmClass = (typeof RHYTHM_CLASSES)[number]

export const hasRhythm = (routeClass: RouteClass): routeClass is RhythmClass =>
  (RHYTHM_CLASSES as readonly RouteClass[]).includes(routeClass)
