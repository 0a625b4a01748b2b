// What the engine's refusals mean for somebody at a terminal: its own words, and what to do next.
import { isObject } from "../support/json.ts"
import { cellText } from "./drawing/cell-text.ts"

export interface Refusal {
  readonly status: number
  readonly url: string
  readonly hasKey: boolean
  /** The parsed answer; undefined when it was no JSON. */
  readonly body: unknown
  readonly retryAfter: string | null
  readonly location: string | null
}

interface Answer {
  readonly error?: unknown
  readonly message?: unknown
  readonly requestId?: unknown
  readonly details?: unknown
}

export function explainRefusal(refusal: Refusal): string {
  const { status, url, body } = refusal
  if (status >= 300 && status < 400)
    return `${url} redirects to ${cellText(refusal.location ?? "elsewhere")}: set WE_URL to that`
  const answer: Answer = isObject(body) ? body : {}
  if (typeof answer.error !== "string")
    return `something answers at ${url}, but not as Millrace does (status ${status}): does WE_URL name the engine's REST port?`
  return withDetails(lineOf(refusal, answer), answer.details)
}

function lineOf({ status, url, hasKey, retryAfter }: Refusal, answer: Answer): string {
  const words = inWords(answer.message ?? answer.error)
  if (status === 401 && hasKey)
    return `the engine at ${url} does not accept the key in WE_API_KEY: it may be revoked or expired (\`millrace keys list\`)`
  if (status === 401)
    return `the engine at ${url} asks for a key: set WE_API_KEY (\`millrace keys create <name>\` makes one)`
  if (status === 403) return `${words}: use a key with that scope (\`millrace keys create <name> --scope …\`)`
  if (status === 404 && /no such route/.test(words))
    return `the engine at ${url} does not know this call: does WE_URL name its REST port, and is it of this version?`
  if (status === 429 || status === 503) return `${words}${retryAfter ? `; wait ${cellText(retryAfter)} s` : ""}`
  if (status >= 500)
    return `${words}: a fault of the engine's, its log has more under request ${cellText(answer.requestId ?? "?")}`
  return words
}

/** The path of a violation is that of a JSON body, which nobody has written here. */
const inWords = (text: unknown): string => cellText(text).replace(/^\$[. ]/, "")

/** One violation is the message itself, and only what to write instead is new; several are a line each. */
function withDetails(line: string, details: unknown): string {
  const violations = Array.isArray(details) ? details.filter(isObject) : []
  const hint = (given: unknown) => (given ? ` (${cellText(given)})` : "")
  if (violations.length === 1) return line + hint(violations[0]?.hint)
  const lines = violations.map(
    ({ path, message, hint: what }) => `  ${inWords(`${path ?? ""} ${message ?? ""}`)}${hint(what)}`,
  )
  return [line, ...lines].join("\n")
}
