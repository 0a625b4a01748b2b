// The settings of the guard: when it stands at the doors, what it allows, and where its counters are.
import { isNetwork, networksFault, PROXY_HEADERS } from "@millrace/guard"
import { isLimitOfClass } from "../model/guard/class-limits.ts"
import { choice, decimal, flag, integer, list, text } from "./kinds.ts"

const count = (name: string, value: number, doc: string) =>
  integer({ name, default: value, min: 1, max: 1_000_000, unit: "calls", doc })
const seconds = (name: string, value: number, doc: string) =>
  integer({ name, default: value, min: 1, max: 86_400, unit: "seconds", doc })

const isRedisUrl = (url: string): boolean => URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)

export const guardSettings = {
  guard: choice({
    name: "WE_GUARD",
    default: "auto",
    values: ["auto", "on", "off"],
    doc: "Limits and abuse detection at every door. auto: on where WE_BIND_ADDRESS is beyond loopback or WE_TRUSTED_PROXIES is set.",
  }),
  trustedProxies: list({
    name: "WE_TRUSTED_PROXIES",
    default: [],
    allowed: "networks such as 10.0.0.0/8 or fd00::/8, not all addresses, separated by commas",
    accepts: isNetwork,
    fault: networksFault,
    doc: "Proxies whose WE_TRUSTED_PROXY_HEADER is believed: a caller's address is the last one in it that is none of them.",
  }),
  trustedProxyHeader: choice({
    name: "WE_TRUSTED_PROXY_HEADER",
    default: "x-forwarded-for",
    values: PROXY_HEADERS,
    doc: "The header that WE_TRUSTED_PROXIES write the caller's address into. The other one is not read: a caller may have sent it.",
  }),
  guardOrder: choice({
    name: "WE_GUARD_ORDER",
    default: "auth-first",
    values: ["auth-first", "blocks-first"],
    doc: "auth-first: a blocked address without a valid credential gets 401; blocks-first: it gets 403, and costs no look-up.",
  }),
  rateLimitRequests: count(
    "RATE_LIMIT_REQUESTS",
    100,
    "Calls that one client may make in a window, of public, login and gateway routes.",
  ),
  rateLimitWindowSeconds: seconds("RATE_LIMIT_WINDOW_SECONDS", 60, "The window of RATE_LIMIT_REQUESTS."),
  guardLimits: list({
    name: "WE_GUARD_LIMITS",
    default: [],
    allowed: "limits such as admin=300/60s or public=200/1m, separated by commas",
    accepts: isLimitOfClass,
    doc: "Limits of other classes of routes, or in place of RATE_LIMIT_REQUESTS. A limit of a key goes before both.",
  }),
  authFailureIpThreshold: count(
    "AUTH_FAILURE_IP_THRESHOLD",
    10,
    "Failed credentials of one address in a window, after which it is refused for a while.",
  ),
  authFailureUserThreshold: count(
    "AUTH_FAILURE_USER_THRESHOLD",
    20,
    "Failed passwords of one user name in a window, after which unknown addresses are slowed down.",
  ),
  authFailureWindowSeconds: seconds("AUTH_FAILURE_WINDOW_SECONDS", 300, "The window of both thresholds."),
  scrapingSampleSize: integer({
    name: "SCRAPING_SAMPLE_SIZE",
    default: 20,
    min: 3,
    max: 1_000,
    unit: "calls",
    doc: "How many calls of a client are looked at for gaps that are too regular.",
  }),
  scrapingEntropyThreshold: decimal({
    name: "SCRAPING_ENTROPY_THRESHOLD",
    default: 0.5,
    min: 0,
    max: 10,
    doc: "Deviation of the gaps between calls, below which a client of public, login and gateway routes counts as a program.",
  }),
  bloomFilterCapacity: integer({
    name: "BLOOM_FILTER_CAPACITY",
    default: 1_000_000,
    min: 1,
    max: 100_000_000,
    unit: "entries",
    doc: "Blocked addresses, and blocked agents, that the filters are made for.",
  }),
  bloomFilterErrorRate: decimal({
    name: "BLOOM_FILTER_ERROR_RATE",
    default: 0.001,
    min: 0.000_001,
    max: 0.5,
    doc: "Share of look-ups that have to ask the exact list as well.",
  }),
  shadowModeEnabled: flag({
    name: "SHADOW_MODE_ENABLED",
    default: false,
    doc: "Note what would be refused, and refuse nothing; POST /admin/shadow-mode overrides it at run time.",
  }),
  guardFailMode: choice({
    name: "GUARD_FAIL_MODE",
    default: "open",
    values: ["open", "closed"],
    doc: "While Redis is away: open counts in each process by itself, closed refuses. Authentication is always closed.",
  }),
  guardRedisUrl: text<string | undefined>({
    name: "WE_GUARD_REDIS_URL",
    aliases: ["REDIS_URL"],
    default: undefined,
    secret: true,
    allowed: "a URL such as redis://user:password@host:6379",
    accepts: isRedisUrl,
    show: (url) => `${new URL(url).protocol}//${new URL(url).host}`,
    doc: "Redis that holds the counters of all replicas; without it each replica counts for itself.",
  }),
} as const
