// Requests for tests: each has an id of its own.
import type { KnownVisit } from "../visit.ts"

let made = 0

export const visit = (parts: Partial<KnownVisit> = {}): KnownVisit => ({
  routeClass: "gateway",
  address: "203.0.113.7",
  path: "/gateway/*",
  requestId: `request-${++made}`,
  client: undefined,
  ...parts,
})
