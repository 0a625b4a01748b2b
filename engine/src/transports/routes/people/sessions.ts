// Routes of the dashboard's session: show it, sign in with a key, sign out. The cookie stands for the key.
import type { wire } from "@millrace/sdk"
import { json, noContent } from "../../calls/answers.ts"
import { findCaller, isKeyNeeded, unknownKey } from "../../calls/authorize.ts"
import { decode } from "../../calls/decode.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { clearedCookies, isBoundToTls, sessionCookie, sessionIdsOf } from "../../calls/session-cookie.ts"

type Options = Pick<RestOptions, "auth" | "bindIsLoopback" | "findKey" | "sessions" | "log">

const PATH = "/v1/session"
const MAX_KEY = 4_096

export const sessionRoutes = (options: Options): readonly Route[] => [
  { method: "GET", path: PATH, permission: "anyone", quiet: true, handle: (call) => tell(options, call) },
  { method: "POST", path: PATH, permission: "anyone", handle: (call) => signIn(options, call) },
  { method: "DELETE", path: PATH, permission: "anyone", handle: (call) => signOut(options, call) },
]

async function tell(options: Options, call: Call): Promise<Answer> {
  const principal = await findCaller(options, call)
  const caller = principal ? { name: principal.name, scopes: principal.scopes } : {}
  return json<wire.Session>(200, { keyNeeded: isKeyNeeded(options), signedIn: principal !== undefined, ...caller })
}

async function signIn(options: Options, call: Call): Promise<Answer> {
  const { requestId, headers } = call
  const principal = await options.findKey(readKey(call))
  if (!principal) {
    options.log.warn({ requestId }, "a sign-in was refused")
    throw unknownKey()
  }
  // Where no key is needed a session would change nothing, and its cookie would be one more thing to lose.
  if (!isKeyNeeded(options)) return noContent
  const id = await options.sessions.start(principal, sessionIdsOf(headers))
  const isBound = isBoundToTls(headers, options.bindIsLoopback)
  const isExposed = !isBound && !options.bindIsLoopback
  options.log.info({ requestId, caller: principal.name }, "signed in")
  if (isExposed) options.log.warn({ requestId }, "the session's cookie travels over plain HTTP: put TLS in front")
  return { status: 204, headers: { "set-cookie": sessionCookie(id, isBound) } }
}

/** Any text is a key that may be wrong: a mistyped one is told no more than an unknown one. */
const readKey = (call: Call): string => decode(call, ({ body }) => body.longText("key", MAX_KEY)).trim()

async function signOut(options: Options, { requestId, headers }: Call): Promise<Answer> {
  const ids = sessionIdsOf(headers)
  if (ids.length > 0) {
    const principal = await options.sessions.find(ids[0] as string)
    await options.sessions.end(ids)
    options.log.info({ requestId, ...(principal ? { caller: principal.name } : {}) }, "signed out")
  }
  return { status: 204, headers: { "set-cookie": clearedCookies() } }
}
