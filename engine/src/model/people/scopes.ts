// What an API key may be allowed to do. `jobs:work:<job type>` limits a worker to one type.
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
  "metrics:read",
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

const ONE_TYPE = /^jobs:work:[A-Za-z0-9_:.-]{1,200}$/

/** A network proves too little for everything. */
export const isTrustedScope = (scope: string): boolean =>
  ONE_TYPE.test(scope) || (scope !== "admin" && SCOPES.some((known) => known === scope))
