// What an API key may be allowed to do. Two scopes may be limited: `jobs:work:<job type>` to one type of jobs, and
// `events:write:<type>` to one type of events, or to all that begin alike where it ends in a star.
export const SCOPES = [
  "definitions:read",
  "definitions:write",
  "instances:read",
  "instances:write",
  "jobs:work",
  "jobs:read",
  "jobs:write",
  "queues:write",
  "tasks:read",
  "tasks:write",
  "events:read",
  "events:write",
  "sinks:write",
  "metrics:read",
  "gateway",
  "admin",
] as const

/** What a worker and a client of workflows need: what a caller from a trusted network may do unless more is said. */
export const TRUSTED_SCOPES = [
  "definitions:read",
  "definitions:write",
  "instances:read",
  "instances:write",
  "jobs:work",
  "tasks:read",
  "tasks:write",
] as const satisfies readonly (typeof SCOPES)[number][]

const LIMITED = /^(?:jobs:work:[A-Za-z0-9_:.-]{1,200}|events:write:[A-Za-z0-9_:.-]{1,200}\*?)$/

export const SCOPE_HINT = `${SCOPES.join(", ")}, jobs:work:<job type> or events:write:<type>`

export const isScope = (scope: string): boolean => LIMITED.test(scope) || SCOPES.some((known) => known === scope)

/** A network proves too little for everything. */
export const isTrustedScope = (scope: string): boolean => scope !== "admin" && isScope(scope)

/** Whether they open anything of the engine: what the gateway forwards is not of it. */
export const reachesEngine = (scopes: readonly string[]): boolean => scopes.some((scope) => scope !== "gateway")

/** To what the scope is limited, which may be nothing; undefined where it is not. */
export function limitsOf(scopes: readonly string[], scope: string): readonly string[] | undefined {
  if (scopes.includes("admin") || scopes.includes(scope)) return undefined
  return scopes.flatMap((one) => (one.startsWith(`${scope}:`) ? [one.slice(scope.length + 1)] : []))
}

export const isWithin = (name: string, limits: readonly string[]): boolean =>
  limits.some((limit) => (limit.endsWith("*") ? name.startsWith(limit.slice(0, -1)) : name === limit))
