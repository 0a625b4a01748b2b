// Routes of blocks: of addresses and user agents until they are lifted, of addresses for a while; pardons; the list. In snake_case.
import { addressKey, agentKey, ipSubject, networkList } from "@millrace/guard"
import type { wire } from "@millrace/sdk"
import { block, pardon, softBlock, unblock } from "../../../operations/guard/change-blocks.ts"
import { type BlockView, listBlocks } from "../../../operations/guard/read-guard.ts"
import { badRequest, conflict } from "../../../support/errors.ts"
import { answerTo, ok } from "../../calls/answers.ts"
import { decode, readCursorPage } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import type { Guarding } from "../../calls/guard/guard-verdicts.ts"
import { MAX_REASON, operatorOf } from "../../calls/operator.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { needGuard } from "./need-guard.ts"

type Options = Pick<RestOptions, "guarding">
type Handle = (call: Call, guarding: Guarding) => Promise<Answer>

const SOFT_BLOCK_MS = 300_000
const MOST_AGENT = 512
const NO_REASON = "blocked by an operator"

export const blockRoutes = (options: Options): readonly Route[] => {
  const change = (method: Route["method"], path: string, handle: Handle): Route => ({
    method,
    path,
    permission: "admin",
    handle: (call) => handle(call, needGuard(options)),
  })
  return [
    { method: "GET", path: "/admin/blocks", permission: "admin", handle: list },
    change("POST", "/admin/block-ip/{ip}", blockAddress),
    change("DELETE", "/admin/block-ip/{ip}", unblockAddress),
    change("POST", "/admin/block-agent", blockAgent),
    change("DELETE", "/admin/block-agent", unblockAgent),
    change("POST", "/admin/soft-block-ip/{ip}", softBlockAddress),
    change("DELETE", "/admin/soft-block-ip/{ip}", pardonAddress),
    change("POST", "/admin/pardons/{client}", pardonClient),
  ]
}

async function list(call: Call): Promise<Answer> {
  const { items, nextCursor } = await listBlocks(
    call.kernel,
    decode(call, ({ query }) => readCursorPage(query)),
  )
  const next = nextCursor === undefined ? {} : { next_cursor: nextCursor }
  return ok<wire.BlockPage>({ items: items.map(shownBlock), ...next })
}

const shownBlock = ({ rule, blockedBy, blockedAt, blockedUntil, ...block }: BlockView): wire.Block => ({
  ...block,
  ...(rule === undefined ? {} : { rule: rule as wire.GuardRule }),
  ...(blockedBy === undefined ? {} : { blocked_by: blockedBy }),
  blocked_at: blockedAt,
  ...(blockedUntil === undefined ? {} : { blocked_until: blockedUntil }),
})

const readTerms = (body: Fields) => ({
  reason: body.orAbsent((from) => from.optionalProse("reason", MAX_REASON)) ?? NO_REASON,
  forMs: body.duration("for"),
})

async function blockAddress(call: Call, guarding: Guarding): Promise<Answer> {
  const value = addressToBlock(call, guarding)
  const terms = decode(call, ({ body }) => readTerms(body))
  const done = await block(call.kernel, operatorOf(call), { kind: "address", value, ...terms })
  return answerTo(done, () => ok<wire.HardBlocked>({ hard_blocked: value }))
}

async function unblockAddress(call: Call): Promise<Answer> {
  const value = addressIn(call)
  const done = await unblock(call.kernel, operatorOf(call), { kind: "address", value })
  return answerTo(done, ({ wasBlocked }) => ok<wire.Unblocked>({ unblocked: value, was_blocked: wasBlocked }))
}

async function blockAgent(call: Call): Promise<Answer> {
  const { agent, ...terms } = decode(call, ({ body, query }) => ({ agent: readAgent(query, body), ...readTerms(body) }))
  const value = comparedAgent(agent)
  if (value === agentKey(call.visit?.agent ?? ""))
    throw conflict("this is the user agent of this very call: you would shut yourself out")
  const done = await block(call.kernel, operatorOf(call), { kind: "agent", value, ...terms })
  return answerTo(done, () => ok<wire.BlockedAgent>({ blocked_agent: agent }))
}

async function unblockAgent(call: Call): Promise<Answer> {
  const agent = decode(call, ({ body, query }) => readAgent(query, body))
  const done = await unblock(call.kernel, operatorOf(call), { kind: "agent", value: comparedAgent(agent) })
  return answerTo(done, ({ wasBlocked }) => ok<wire.Unblocked>({ unblocked: agent, was_blocked: wasBlocked }))
}

/** In the query or in the body. The answer has it as it was given. */
const readAgent = (query: Fields, body: Fields): string =>
  query.optionalText("user_agent", MOST_AGENT) ?? body.text("user_agent", MOST_AGENT)

function comparedAgent(agent: string): string {
  const value = agentKey(agent)
  if (value === "") throw wrong("user_agent", "must be more than spaces", "such as BadBot/1.0")
  return value
}

async function softBlockAddress(call: Call, guarding: Guarding): Promise<Answer> {
  const value = addressToBlock(call, guarding)
  const { reason, forMs = SOFT_BLOCK_MS } = decode(call, ({ body }) => readTerms(body))
  const asked = { subject: ipSubject(value), rule: "blocked-address", reason, forMs }
  const done = await softBlock(call.kernel, operatorOf(call), asked)
  return answerTo(done, () => ok<wire.SoftBlocked>({ soft_blocked: value }))
}

async function pardonAddress(call: Call): Promise<Answer> {
  const value = addressIn(call)
  const done = await pardon(call.kernel, operatorOf(call), ipSubject(value))
  return answerTo(done, ({ wasBlocked }) => ok<wire.Unblocked>({ unblocked: value, was_blocked: wasBlocked }))
}

async function pardonClient(call: Call): Promise<Answer> {
  const value = clientIn(call)
  const done = await pardon(call.kernel, operatorOf(call), value)
  return answerTo(done, ({ wasBlocked }) => ok<wire.Unblocked>({ unblocked: value, was_blocked: wasBlocked }))
}

/** A slip would shut out the operator who makes it, or all callers behind a proxy. */
function addressToBlock(call: Call, { settings: { trustedProxies } }: Guarding): string {
  const value = addressIn(call)
  if (value === call.visit?.address)
    throw conflict(`this call comes from ${value}: you would shut yourself out; block it from another address`)
  const { ip = "" } = call.params
  if (networkList(trustedProxies)(ip) || trustedProxies.some((proxy) => addressKey(proxy) === value))
    throw conflict(`${value} is a proxy of WE_TRUSTED_PROXIES: block the addresses of callers behind it`)
  return value
}

/** The address that the guard counts by: for IPv6 the /64. */
export function addressIn({ params: { ip = "" } }: Call): string {
  const address = addressKey(ip)
  if (address === undefined) throw wrong("path.ip", "must be an IPv4 or an IPv6 address", "such as 192.0.2.7")
  return address
}

/** `ip:…`, `key:…`, `user:…`, `name:…`: what lists and reports call it. */
export function clientIn({ params: { client = "" } }: Call): string {
  if (!/^[a-z]{2,10}:[\x20-\x7e]{1,190}$/.test(client))
    throw wrong("path.client", "must be a client as lists name it", "such as key:0f3a9c1d2e4b5a67 or ip:192.0.2.7")
  return client
}

const wrong = (path: string, message: string, hint: string) =>
  badRequest(`${path} ${message}`, [{ path, message, hint }])
