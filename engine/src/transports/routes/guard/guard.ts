// Routes of the guard as a whole: how it stands, and why an address or a client is refused. In snake_case.
import { type Explanation, ipSubject } from "@millrace/guard"
import type { wire } from "@millrace/sdk"
import { readShadow } from "../../../operations/guard/change-shadow.ts"
import { readTraffic, type TrafficPoint } from "../../../operations/guard/read-guard.ts"
import { isoTime } from "../../../support/iso-time.ts"
import { ok } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { addressIn, clientIn } from "./blocks.ts"
import { needGuard } from "./need-guard.ts"
import { shownShadow } from "./shadow.ts"

type Options = Pick<RestOptions, "guarding">

const WINDOWS = { PT15M: 900, PT1H: 3_600, P1D: 86_400 } as const
const TOP = 20

export const stateRoutes = (options: Options): readonly Route[] => [
  { method: "GET", path: "/admin/guard", permission: "admin", quiet: true, handle: (call) => tell(options, call) },
  { method: "GET", path: "/admin/block-status/{ip}", permission: "admin", handle: (call) => ofAddress(options, call) },
  {
    method: "GET",
    path: "/admin/client-status/{client}",
    permission: "admin",
    handle: (call) => ofClient(options, call),
  },
]

async function tell({ guarding }: Options, call: Call): Promise<Answer> {
  const { kernel } = call
  const window = decode(call, ({ query }) => query.optionalOneOf("window", ["PT15M", "PT1H", "P1D"])) ?? "PT1H"
  if (!guarding) return ok<wire.GuardState>({ is_on: false })
  const { guard, settings, top } = guarding
  const { addresses: blockedAddresses, agents, store } = guard.counts
  const { clients, addresses } = top(TOP)
  return ok<wire.GuardState>({
    is_on: true,
    store: store.kind,
    store_is_up: store.isUp,
    fail_mode: settings.failMode,
    shadow: shownShadow(await readShadow(kernel, settings.shadow)),
    limits: Object.fromEntries(Object.entries(settings.limits).map(([name, limit]) => [name, shownLimit(limit)])),
    blocked_addresses: blockedAddresses,
    blocked_agents: agents,
    traffic: (await readTraffic(kernel, WINDOWS[window])).map(shownPoint),
    top_clients: [...clients],
    top_addresses: [...addresses],
  })
}

const shownLimit = ({ requests, windowMs }: { readonly requests: number; readonly windowMs: number }) => ({
  requests,
  window_seconds: windowMs / 1_000,
})

const shownPoint = ({ softBlocked, hardBlocked, ...point }: TrafficPoint) => ({
  ...point,
  soft_blocked: softBlocked,
  hard_blocked: hardBlocked,
})

async function ofAddress(options: Options, call: Call): Promise<Answer> {
  const ip = addressIn(call)
  const explained = await needGuard(options).guard.why(ipSubject(ip))
  const { hardBlock } = explained
  return ok<wire.BlockStatus>({ ip, hard_blocked_bloom: hardBlock !== undefined, ...statusOf(call, explained) })
}

async function ofClient(options: Options, call: Call): Promise<Answer> {
  return ok<wire.ClientStatus>(statusOf(call, await needGuard(options).guard.why(clientIn(call))))
}

function statusOf({ kernel }: Call, explained: Explanation): wire.ClientStatus {
  const { subject, softBlocks } = explained
  const now = kernel.clock.nowMs()
  const live = softBlocks.filter(({ space }) => space === "live")
  const until = (leftSeconds: number) => isoTime(now + leftSeconds * 1_000)
  return {
    subject,
    soft_blocked: live.length > 0,
    reasons: [
      ...hardReason(explained),
      ...live.map(({ rule, reason, leftSeconds }) => ({ rule, reason, until: until(leftSeconds) })),
    ],
    counts: countsOf(explained),
  }
}

function hardReason({ hardBlock }: Explanation): wire.GuardReason[] {
  if (!hardBlock) return []
  const { kind, reason, by, until } = hardBlock
  const rule = kind === "address" ? "blocked-address" : "blocked-agent"
  return [{ rule, reason, by, ...(until === undefined ? {} : { until: until.toISOString() }) }]
}

/** Counts in shadow mode are named separately: there the guard refuses nothing. */
const inSpace = (name: string, space: string): string => (space === "live" ? name : `${name}, in shadow`)

const countsOf = ({ windows, failures, rhythm }: Explanation): wire.GuardCount[] => [
  ...windows.map(({ routeClass, space, count, limit }) => ({
    name: inSpace(routeClass === undefined ? "calls, by the limit of the key" : `calls of ${routeClass} routes`, space),
    count,
    ...(limit ? { limit: limit.requests, window_seconds: limit.windowMs / 1_000 } : {}),
  })),
  ...failures.map(({ space, count, threshold, windowSeconds }) => ({
    name: inSpace("failed credentials", space),
    count,
    limit: threshold,
    window_seconds: windowSeconds,
  })),
  ...(rhythm ? [{ name: "deviation of the gaps between calls, in seconds", count: rhythm.deviationSeconds }] : []),
]
