// The guard in pictures: how it stands, what is blocked, who calls most, and why a caller is refused.
import type { wire } from "@millrace/sdk"
import { type Canvas, type Fact, facts, table } from "./table.ts"
import { relative } from "./times.ts"

export function drawGuard(guard: wire.GuardState, canvas: Canvas): readonly string[] {
  if (!guard.is_on) return ["The guard is off here: nothing is limited (WE_GUARD)."]
  const total = (name: "allowed" | "throttled" | "soft_blocked" | "hard_blocked" | "shadowed") =>
    (guard.traffic ?? []).reduce((sum, point) => sum + point[name], 0)
  const store = `${guard.store}${guard.store_is_up ? "" : ", gone"}; without it ${guard.fail_mode}`
  const entries: Fact[] = [
    ["Store", store, guard.store_is_up ? undefined : "red"],
    ["Shadow mode", guard.shadow && shadowText(guard.shadow), guard.shadow?.all ? "yellow" : undefined],
    ["Limits", limitsText(guard.limits ?? {})],
    ["Last hour", `${total("allowed")} allowed, ${total("throttled")} delayed, ${refusedText(total)}`],
    ["Filters", `${guard.blocked_addresses} addresses, ${guard.blocked_agents} user agents`],
  ]
  return facts(entries, canvas)
}

const refusedText = (total: (name: "soft_blocked" | "hard_blocked" | "shadowed") => number): string =>
  `${total("soft_blocked")} refused for a while, ${total("hard_blocked")} blocked, ${total("shadowed")} in shadow`

const limitsText = (limits: NonNullable<wire.GuardState["limits"]>): string =>
  Object.entries(limits)
    .map(([name, { requests, window_seconds }]) => `${name} ${requests} in ${window_seconds} s`)
    .join(", ")

function shadowText({ all, rules }: wire.ShadowMode): string {
  const named = Object.entries(rules).map(([rule, isOn]) => `${rule} ${isOn ? "on" : "off"}`)
  return [all ? "on" : "off", ...named].join(", ")
}

export const drawShadow = (shadow: wire.ShadowMode, canvas: Canvas): readonly string[] =>
  facts(
    [
      ["Shadow mode", shadowText(shadow), shadow.all ? "yellow" : undefined],
      ["Set by", shadow.changed_by ?? "the configuration (SHADOW_MODE_ENABLED)"],
      ["Since", shadow.changed_at],
    ],
    canvas,
  )

export function drawBlocks(blocks: readonly wire.Block[], canvas: Canvas, nowMs = Date.now()): readonly string[] {
  if (blocks.length === 0) return ["Nothing is blocked."]
  return table<wire.Block>(
    [
      { title: "BLOCKED", of: ({ value }) => value },
      {
        title: "AS",
        of: ({ degree, kind }) => `${degree} ${kind}`,
        style: ({ degree }) => (degree === "hard" ? "red" : "yellow"),
      },
      { title: "SINCE", of: ({ blocked_at }) => relative(blocked_at, nowMs), align: "right" },
      { title: "UNTIL", of: ({ blocked_until }) => blocked_until ?? "lifted", extra: true },
      { title: "BY", of: ({ blocked_by, rule }) => blocked_by ?? rule, cutTo: 12 },
      { title: "REASON", of: ({ reason }) => reason, cutTo: 16 },
    ],
    blocks,
    canvas,
  )
}

export function drawCallers(guard: wire.GuardState, canvas: Canvas): readonly string[] {
  if (!guard.is_on) return drawGuard(guard, canvas)
  const callers = [...(guard.top_clients ?? []), ...(guard.top_addresses ?? [])]
  if (callers.length === 0) return ["No calls of late."]
  return table<wire.GuardCaller>(
    [
      { title: "CALLER", of: ({ name }) => name },
      { title: "CALLS", of: ({ requests }) => requests, align: "right" },
      {
        title: "REFUSED",
        of: ({ refused }) => refused,
        align: "right",
        style: ({ refused }) => (refused > 0 ? "red" : undefined),
      },
    ],
    callers,
    canvas,
  )
}

export function drawStatus(status: wire.ClientStatus | wire.BlockStatus, canvas: Canvas): readonly string[] {
  const isHard = "hard_blocked_bloom" in status && status.hard_blocked_bloom
  // Only a block by an operator names its author in `by`.
  const hasEnd = status.reasons.some(({ by, until }) => by !== undefined && until !== undefined)
  const verdict = isHard
    ? `blocked${hasEnd ? "" : " until an operator lifts it"}`
    : status.soft_blocked
      ? "refused for a while"
      : "not blocked"
  const reasons = status.reasons.map(({ rule, reason, by, until }): Fact => {
    const more = [by === undefined ? "" : ` by ${by}`, until === undefined ? "" : ` until ${until}`].join("")
    return [rule, `${reason}${more}`, "red"]
  })
  const counts = status.counts.map(({ name, count, limit, window_seconds }): Fact => {
    const most = limit === undefined ? "" : ` of ${limit}`
    return [name, `${count}${most}${window_seconds === undefined ? "" : ` in ${window_seconds} s`}`]
  })
  return facts(
    [[status.subject, verdict, isHard || status.soft_blocked ? "red" : "green"], ...reasons, ...counts],
    canvas,
  )
}

interface Report {
  readonly stats: wire.ShadowStats
  readonly items: wire.ShadowReport["items"]
}

export function drawReport({ stats, items }: Report, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["Shadow mode would have refused nothing in the last 24 hours."]
  const title = `${stats.total} calls would have been refused or delayed in the last 24 hours.`
  return [
    title,
    ...table<Report["items"][number]>(
      [
        { title: "RULE", of: ({ rule }) => rule },
        { title: "CLIENT", of: ({ client }) => client },
        { title: "PATH", of: ({ path }) => path, cutTo: 16 },
        { title: "CALLS", of: ({ count }) => count, align: "right" },
        { title: "HOUR", of: ({ hour }) => hour.slice(0, 16), extra: true },
        { title: "REASON", of: ({ last_reason }) => last_reason, cutTo: 16, extra: true },
      ],
      items,
      canvas,
    ),
  ]
}
