// Where the operator commands find the engine (WE_URL) and how they prove themselves (WE_API_KEY, which is never printed).
import { safeText } from "../support/redact.ts"
import { calledWrongly } from "./command-error.ts"

export interface EngineAddress {
  /** Without a slash at its end. */
  readonly url: string
  readonly apiKey: string | undefined
}

const DEFAULT_PORT = "8080"

export function engineAddress(env: NodeJS.ProcessEnv): EngineAddress {
  return { url: urlOf(env), apiKey: apiKeyOf(env) }
}

/** Without WE_URL it is the engine of this machine, on the port that `millrace dev` in this environment would take. */
function urlOf({ WE_URL, WE_REST_PORT }: NodeJS.ProcessEnv): string {
  const given = WE_URL?.trim()
  const port = /^[1-9]\d{0,4}$/.test(WE_REST_PORT?.trim() ?? "") ? WE_REST_PORT?.trim() : DEFAULT_PORT
  if (!given) return `http://127.0.0.1:${port}`
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw wrong(`WE_URL="${given}"`, "must be a URL")
  if (url.username || url.password)
    throw wrong("WE_URL", "holds a user or a password: a key belongs into WE_API_KEY, give a URL")
  return url.href.replace(/[?#].*$/, "").replace(/\/+$/, "")
}

const wrong = (what: string, problem: string) =>
  calledWrongly(`${safeText(what)}: ${problem} such as http://127.0.0.1:8080`)

function apiKeyOf({ WE_API_KEY }: NodeJS.ProcessEnv): string | undefined {
  const key = WE_API_KEY?.trim()
  // What cannot stand in a header would be quoted in fetch's error.
  if (key && !/^[\x21-\x7e]+$/.test(key))
    throw calledWrongly("WE_API_KEY holds characters that no key has: set it again")
  return key || undefined
}
