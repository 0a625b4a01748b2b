// The front door of the guard.
export { type Clock, systemClock } from "./clock.ts"
export { createGuard } from "./create-guard.ts"
export { holdOrRefuse, type Refusal, refusalOf, retryAfterOf } from "./doors/refusal.ts"
export type { Explanation, Guard, GuardCounts, RunningGuard } from "./guard.ts"
export { ipSubject, nameSubject } from "./keys.ts"
export type {
  Block,
  Blocked,
  BlockKind,
  Ledger,
  LedgerChanges,
  ShadowEvent,
  ShadowSettings,
  SoftBlock,
} from "./ledger.ts"
export { MemoryLedger } from "./memory-ledger.ts"
export type { Observer } from "./observer.ts"
export { type ClassLimits, DEFAULT_LIMITS, type FailureLimits, type GuardOptions, RHYTHM_BOUNDS } from "./options.ts"
export { ROUTE_CLASSES, type RouteClass } from "./route-class.ts"
export { agentKey } from "./rules/agent-key.ts"
export {
  type Arrival,
  clientAddress,
  clientIp,
  PROXY_HEADERS,
  type Proxies,
  type ProxyHeader,
} from "./rules/client-address.ts"
export { hasTooManyHeaders, MOST_HEADER_LINES } from "./rules/header-lines.ts"
export { addressKey } from "./rules/ip-address.ts"
export { type IsWithin, networkList } from "./rules/network-list.ts"
export { isNetwork, networksFault } from "./rules/networks.ts"
export { answerStoreCall, DistantStore, type StoreCall } from "./stores/distant-store.ts"
export { MemoryStore } from "./stores/memory-store.ts"
export { openRedisStore, type RedisStoreOptions } from "./stores/open-redis-store.ts"
export type { Store, StoreState } from "./stores/store.ts"
export {
  ALLOWED,
  type Allowed,
  type HardBlocked,
  RULES,
  type Rule,
  type SoftBlocked,
  type Throttled,
  type Verdict,
} from "./verdict.ts"
export type { FailedCredential, KnownVisit, Limit, Visit } from "./visit.ts"
