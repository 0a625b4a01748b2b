// Routes of shadow mode: switch it, and read what it would have refused. In snake_case.
import { RULES } from "@millrace/guard"
import type { wire } from "@millrace/sdk"
import { changeShadow, readShadow, type ShadowView } from "../../../operations/guard/change-shadow.ts"
import { readShadowReport, readShadowStats, type ShadowedView } from "../../../operations/guard/read-guard.ts"
import { answerTo, ok } from "../../calls/answers.ts"
import { decode, readCursorPage } from "../../calls/decode.ts"
import { operatorOf } from "../../calls/operator.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { needGuard } from "./need-guard.ts"

type Options = Pick<RestOptions, "guarding">

export const shadowRoutes = (options: Options): readonly Route[] => [
  { method: "GET", path: "/admin/shadow-mode", permission: "admin", handle: (call) => tell(options, call) },
  { method: "POST", path: "/admin/shadow-mode", permission: "admin", handle: (call) => change(options, call) },
  { method: "GET", path: "/admin/shadow-stats", permission: "admin", handle: stats },
  { method: "GET", path: "/admin/shadow-report", permission: "admin", handle: report },
]

export const shownShadow = ({ changedAt, changedBy, rules, ...shadow }: ShadowView): wire.ShadowMode => ({
  ...shadow,
  rules: { ...rules },
  ...(changedAt === undefined ? {} : { changed_at: changedAt }),
  ...(changedBy === undefined ? {} : { changed_by: changedBy }),
})

async function tell({ guarding }: Options, { kernel }: Call): Promise<Answer> {
  return ok<wire.ShadowMode>(shownShadow(await readShadow(kernel, guarding?.settings.shadow ?? false)))
}

async function change(options: Options, call: Call): Promise<Answer> {
  const { settings } = needGuard(options)
  const { enabled, rule } = decode(call, ({ query }) => ({
    enabled: query.oneOf("enabled", ["true", "false"]) === "true",
    rule: query.optionalOneOf("rule", RULES),
  }))
  const asked = { enabled, rule, configured: settings.shadow }
  return answerTo(await changeShadow(call.kernel, operatorOf(call), asked), (view) =>
    ok<wire.ShadowMode>(shownShadow(view)),
  )
}

async function stats({ kernel }: Call): Promise<Answer> {
  const { total, byRule } = await readShadowStats(kernel)
  return ok<wire.ShadowStats>({ total, by_rule: { ...byRule } })
}

async function report(call: Call): Promise<Answer> {
  const asked = decode(call, ({ query }) => ({
    rule: query.optionalOneOf("rule", RULES),
    client: query.optionalText("client"),
    ...readCursorPage(query),
  }))
  const { items, nextCursor } = await readShadowReport(call.kernel, asked)
  const next = nextCursor === undefined ? {} : { next_cursor: nextCursor }
  return ok<wire.ShadowReport>({ items: items.map(shownEvent), ...next })
}

const shownEvent = ({
  hour,
  rule,
  client,
  path,
  count,
  ...last
}: ShadowedView): wire.ShadowReport["items"][number] => ({
  hour,
  rule: rule as wire.GuardRule,
  client,
  path,
  count,
  last_at: last.lastAt,
  last_request_id: last.lastRequestId,
  last_reason: last.lastReason,
})
