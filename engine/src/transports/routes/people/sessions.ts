// Routes of the dashboard's session: show it, sign in with a key or a password, sign out. The cookie stands for the key or the user.
import type { wire } from "@millrace/sdk"
import type { SignedIn } from "../../../operations/people/sessions.ts"
import { principalOfUser } from "../../../operations/people/sign-in.ts"
import { json, noContent } from "../../calls/answers.ts"
import { isKeyNeeded, unknownKey } from "../../calls/authorize.ts"
import { decode } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { UNWATCHED } from "../../calls/guard/credential-watch.ts"
import { findCaller } from "../../calls/guard/guarded-credentials.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { clearedCookies, isBoundToTls, sessionCookie, sessionIdsOf } from "../../calls/session-cookie.ts"
import { attemptSignIn, readAttempt } from "./attempt.ts"

type Options = Pick<
  RestOptions,
  "auth" | "bindIsLoopback" | "findKey" | "people" | "sessions" | "findTrusted" | "log" | "credentialWatch" | "guarding"
>

const PATH = "/v1/session"
const MAX_KEY = 4_096

export const sessionRoutes = (options: Options): readonly Route[] => [
  { method: "GET", path: PATH, permission: "anyone", quiet: true, handle: (call) => tell(options, call) },
  { method: "POST", path: PATH, permission: "anyone", routeClass: "login", handle: (call) => signIn(options, call) },
  { method: "DELETE", path: PATH, permission: "anyone", handle: (call) => signOut(options, call) },
]

async function tell(options: Options, call: Call): Promise<Answer> {
  const principal = await findCaller(options, call)
  const caller = principal ? { name: principal.name, scopes: principal.scopes } : {}
  const provider = options.people?.provider ? { provider: options.people.provider.name } : {}
  const state = { keyNeeded: isKeyNeeded(options), signedIn: principal !== undefined }
  return json<wire.Session>(200, { ...state, ...caller, ...provider })
}

async function signIn(options: Options, call: Call): Promise<Answer> {
  const sent = decode(call, ({ body }) => readCredential(body))
  const principal =
    "key" in sent
      ? await ownerOfKey(options, call, sent.key)
      : principalOfUser(await attemptSignIn(options, call, sent))
  return beginSession(options, call, principal)
}

/** A key, where there is one; else a user name and a password. */
function readCredential(body: Fields) {
  const [hasKey, ...isUser] = ["key", "username", "password"].map((name) => body.has(name))
  return hasKey || !isUser.includes(true) ? { key: readKey(body) } : readAttempt(body)
}

/** Any text may be a wrong key: the answer to a mistyped key is the same as to an unknown one. */
const readKey = (body: Fields): string => body.longText("key", MAX_KEY).trim()

async function ownerOfKey(options: Options, call: Call, key: string): Promise<SignedIn> {
  const { credentialWatch: watch = UNWATCHED, log } = options
  const { requestId } = call
  await watch.before(call)
  const principal = await options.findKey(key)
  if (!principal) {
    await watch.failed(call)
    log.warn({ requestId }, "a sign-in was refused")
    throw unknownKey()
  }
  await watch.signedIn(call)
  log.info({ requestId, caller: principal.name }, "signed in")
  return principal
}

async function beginSession(options: Options, { requestId, headers }: Call, principal: SignedIn): Promise<Answer> {
  // Where no key is needed a session would change nothing, and its cookie would be one more thing to lose.
  if (!isKeyNeeded(options)) return noContent
  const id = await options.sessions.start(principal, sessionIdsOf(headers))
  const isBound = isBoundToTls(headers, options.bindIsLoopback)
  const isExposed = !isBound && !options.bindIsLoopback
  if (isExposed) options.log.warn({ requestId }, "the session's cookie travels over plain HTTP: put TLS in front")
  return { status: 204, headers: { "set-cookie": sessionCookie(id, isBound) } }
}

async function signOut(options: Options, { requestId, headers }: Call): Promise<Answer> {
  const ids = sessionIdsOf(headers)
  if (ids.length > 0) {
    const principal = await options.sessions.find(ids[0] as string)
    await options.sessions.end(ids)
    options.log.info({ requestId, ...(principal ? { caller: principal.name } : {}) }, "signed out")
  }
  return { status: 204, headers: { "set-cookie": clearedCookies() } }
}
