// One POST of JSON to an address that may be judged before anything is sent. It never throws, and follows no redirect.
import { lookup } from "node:dns"
import { type ClientRequest, Agent as PlainAgent, request as plainRequest } from "node:http"
import { Agent as SafeAgent, request as safeRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { safeText } from "../redact.ts"

/** Why an address may not be connected to; undefined where it may. */
export type JudgeAddress = (address: string) => string | undefined

export interface Post {
  readonly url: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** The limit for the whole call. */
  readonly timeoutMs: number
  readonly judge?: JudgeAddress
  /** Connections that are kept for the next call; without it there are none. */
  readonly agent?: PlainAgent
}

/** `isAway`: nothing was sent, because no connection came about. The URL may hold a token: it is in no reason. */
export type Posted =
  | { readonly status: number; readonly retryAfter: string | undefined; readonly text: string }
  | { readonly failure: string; readonly isAway: boolean }

/** What of an answer is read. */
const MOST_BYTES = 1_000

export const keptConnections = (url: string, maxSockets: number): PlainAgent =>
  isTls(url) ? new SafeAgent({ keepAlive: true, maxSockets }) : new PlainAgent({ keepAlive: true, maxSockets })

export async function postJson(post: Post): Promise<Posted> {
  if (!URL.canParse(post.url)) return { failure: "could not be reached", isAway: true }
  const refusal = judgeLiteral(post)
  if (refusal !== undefined) return { failure: refusal, isAway: true }
  const first = await attempt(post)
  // The other side had closed a kept connection before this call.
  return "wasStale" in first ? attempt(post) : first
}

const isTls = (url: string): boolean => new URL(url).protocol === "https:"

/** A name is judged by what it stands for, when that is known; an address in the URL is never looked up. */
function judgeLiteral({ url, judge }: Post): string | undefined {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "")
  return isIP(host) === 0 ? undefined : judge?.(host)
}

type Attempt = Posted | { readonly failure: string; readonly isAway: false; readonly wasStale: true }

function attempt({ url, body, headers, timeoutMs, judge, agent }: Post): Promise<Attempt> {
  const open = isTls(url) ? safeRequest : plainRequest
  return new Promise((resolve) => {
    const call = open(new URL(url), {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      ...(judge && { lookup: judgedLookup(judge) }),
      ...(agent && { agent }),
    })
    call.on("error", (error) => resolve(failureOf(error, call)))
    call.on("response", (response) => {
      const told = { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] }
      let text = ""
      const done = () => resolve({ ...told, text: safeText(text.slice(0, MOST_BYTES)) })
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        text += chunk
        if (text.length > MOST_BYTES) response.destroy()
      })
      response.on("close", done)
      response.on("error", done)
    })
    call.end(body)
  })
}

/** Every address of the name is judged, and the connection goes to one of those. */
const judgedLookup =
  (judge: JudgeAddress): LookupFunction =>
  (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      const refusal = addresses.map(({ address }) => judge(address)).find((fault) => fault !== undefined)
      if (refusal !== undefined) return done(new RefusedAddress(refusal), [])
      const [first] = addresses
      return options.all ? done(null, addresses) : done(null, first?.address ?? "", first?.family)
    })

class RefusedAddress extends Error {}

/** Codes of failures before anything was sent. */
const AWAY =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_TLS|ERR_SSL|CERT_|UNABLE_|DEPTH_|SELF_)/

/** By name or code: a message may quote the URL. */
function failureOf(error: Error & { code?: unknown }, call: ClientRequest): Attempt {
  if (error instanceof RefusedAddress) return { failure: error.message, isAway: true }
  const code = typeof error.code === "string" ? error.code : "could not be reached"
  if (code === "ABORT_ERR" || error.name === "AbortError" || error.name === "TimeoutError")
    return { failure: "did not answer in time", isAway: false }
  if (code === "ECONNRESET" && call.reusedSocket) return { failure: code, isAway: false, wasStale: true }
  return { failure: code, isAway: AWAY.test(code) }
}
