// What a failed call means at a terminal: the engine's own words, and what to do next.
import { InvalidIdError, MillraceError, TransportError, type Violation } from "@millrace/sdk"
import { isObject } from "../support/json.ts"
import { CommandError, calledWrongly } from "./command-error.ts"
import { cellText } from "./drawing/cell-text.ts"
import type { EngineAddress } from "./engine-address.ts"

/** A line for the caller of the command; what is none of the client's errors is a fault of ours and stays as it is. */
export function explainFailure(error: unknown, address: EngineAddress): unknown {
  if (error instanceof MillraceError) return new CommandError(refusalText(error, address), 1, error.code)
  if (error instanceof TransportError) return new CommandError(transportText(error, address))
  if (error instanceof InvalidIdError) return calledWrongly(cellText(error.message))
  return error
}

/** Codes of a handshake that failed: another protocol, or a certificate that is not trusted. */
const TLS = /^EPROTO$|^ERR_(SSL|TLS)_|CERT|UNABLE_TO_VERIFY/
/** How a refusal of the guard begins, which is no matter of scopes. */
const GUARDED = /^this request was refused/
const STRANGER = "does WE_URL name the engine's REST port?"

function transportText({ kind, cause, spoken }: TransportError, { url }: EngineAddress): string {
  if (spoken !== undefined) return strangerText[spoken](url)
  const { code } = (cause ?? {}) as { code?: unknown }
  const why = typeof code === "string" ? ` (${code})` : ""
  switch (kind) {
    case "unreachable":
      return `the engine is not reachable at ${url}${why}: is it running? \`millrace dev\` starts one here; WE_URL says where another is`
    case "interrupted":
      if (TLS.test(String(code)))
        return `no TLS connection to ${url}${why}: does it speak https, and is its certificate trusted (NODE_EXTRA_CA_CERTS)?`
      return `the connection to the engine at ${url} broke before its answer was complete${why}: try again`
    case "timeout":
      return `the engine at ${url} does not answer: look at its log`
    case "malformed":
      return `something answers at ${url}, but not as Millrace does: ${STRANGER}`
  }
}

/** By what answers there instead of HTTP. */
const strangerText: Readonly<Record<NonNullable<TransportError["spoken"]>, (url: string) => string>> = {
  gRPC: (url) =>
    `${url} is a gRPC port, and this command needs the engine's REST port: set WE_URL to that (WE_REST_PORT of the engine, 8080 unless told otherwise)`,
  TLS: (url) => `${url} speaks TLS: set WE_URL to ${url.replace(/^http:/, "https:")}`,
  unknown: (url) => `something answers at ${url}, but it does not speak HTTP: ${STRANGER}`,
}

function refusalText(error: MillraceError, address: EngineAddress): string {
  const { status, code, location } = error
  if (status >= 300 && status < 400)
    return `${address.url} redirects to ${cellText(location ?? "another address")}: set WE_URL to that`
  if (code.startsWith("http-"))
    return `something answers at ${address.url}, but not as Millrace does (status ${status}): ${STRANGER}`
  return withDetails(lineOf(error, address), error.details)
}

function lineOf(error: MillraceError, { url, apiKey }: EngineAddress): string {
  const { status, retryAfter, requestId } = error
  const words = inWords(error.reason)
  if (status === 401 && apiKey !== undefined)
    return `the engine at ${url} does not accept the key in WE_API_KEY: it may be revoked or expired (\`millrace keys list\`)`
  if (status === 401)
    return `the engine at ${url} asks for a key: set WE_API_KEY (\`millrace keys create <name>\` makes one)`
  if (status === 403 && GUARDED.test(words))
    return `${words}; with an administrator's key \`millrace guard why <address>\` tells why, and \`millrace guard unblock <address>\` ends it`
  if (status === 403) return `${words}: use a key with that scope (\`millrace keys create <name> --scope …\`)`
  if (status === 404 && /no such route/.test(words))
    return `the engine at ${url} does not know this call: does WE_URL name its REST port, and is it of this version?`
  if (status === 429 || status === 503) return `${words}${retryAfter ? `; wait ${retryAfter} s` : ""}`
  if (status >= 500)
    return `${words}: a fault of the engine, its log has more under request ${cellText(requestId ?? "?")}`
  return words
}

/** A violation names its place in a JSON body; at a terminal the field alone says enough. */
const inWords = (text: unknown): string => cellText(text).replace(/^\$[. ]/, "")

/** One violation is often the message itself, and then only its hint is new; else each has a line. */
function withDetails(line: string, details: readonly Violation[] = []): string {
  // They come from outside, and may be anything.
  const violations = (details.filter(isObject) as readonly Partial<Violation>[]).map(inLine)
  const [first] = violations
  if (first && violations.length === 1 && line.includes(first.what)) return line + first.hint
  return [line, ...violations.map(({ what, hint }) => `  ${what}${hint}`)].join("\n")
}

const inLine = ({ path = "", message = "", hint }: Partial<Violation>) => ({
  what: inWords(`${path} ${message}`),
  hint: hint ? ` (${cellText(hint)})` : "",
})
