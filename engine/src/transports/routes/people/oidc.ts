// Routes of signing in with a provider: the browser is sent there, and comes back with a code.
import { TICKET_LIFE_MS } from "../../../operations/people/sign-in-tickets.ts"
import { EngineError, notFound } from "../../../support/errors.ts"
import { isKeyNeeded } from "../../calls/authorize.ts"
import { decode } from "../../calls/decode.ts"
import { UNWATCHED } from "../../calls/guard/credential-watch.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { ProviderSignIn } from "../../calls/people.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { clearedTicket, sessionCookie, sessionIdsOf, ticketCookie, ticketIdOf } from "../../calls/session-cookie.ts"

type Options = Pick<RestOptions, "auth" | "bindIsLoopback" | "people" | "sessions" | "log" | "credentialWatch">

const headers = { "cache-control": "no-store" }
const DASHBOARD = "/ui/"

export const oidcRoutes = (options: Options): readonly Route[] => [
  {
    method: "GET",
    path: "/auth/oidc/start",
    // No credential is tried here. In the class of sign-ins, a page that is loaded again and again would shut them for its address.
    permission: "anyone",
    headers,
    handle: () => start(options),
  },
  {
    method: "GET",
    path: "/auth/oidc/callback",
    permission: "anyone",
    routeClass: "login",
    headers,
    handle: (call) => callback(options, call),
  },
]

function providerOf({ people }: Options): ProviderSignIn {
  if (people?.provider) return people.provider
  throw notFound("no provider to sign in with is set up: the operator names it in WE_OIDC_ISSUER")
}

async function start(options: Options): Promise<Answer> {
  const { signIn, isOverTls } = providerOf(options)
  const { id, url } = await signIn.begin()
  const cookie = ticketCookie(id, { isBound: isOverTls, maxAgeSeconds: TICKET_LIFE_MS / 1_000 })
  return { status: 302, headers: { location: url, "set-cookie": cookie } }
}

async function callback(options: Options, call: Call): Promise<Answer> {
  const { credentialWatch: watch = UNWATCHED, log } = options
  const answer = readAnswer(call)
  const { signIn, isOverTls } = providerOf(options)
  await watch.before(call)
  try {
    const person = await signIn.finish({ ...answer, ticketId: ticketIdOf(call.headers, isOverTls) })
    await watch.signedIn(call)
    log.info({ requestId: call.requestId, caller: person.name, subject: person.subject }, "signed in")
    const cleared = clearedTicket(isOverTls)
    if (!isKeyNeeded(options)) return { status: 302, headers: { location: DASHBOARD, "set-cookie": cleared } }
    const session = sessionCookie(await options.sessions.start(person, sessionIdsOf(call.headers)), isOverTls)
    return { status: 302, headers: { location: DASHBOARD, "set-cookie": [session, cleared] } }
  } catch (error) {
    // Not counted as a guess: any web page can send its visitors here without a ticket, and would shut their address out.
    if (error instanceof EngineError && error.code === "unauthenticated")
      log.warn({ requestId: call.requestId }, "a sign-in was refused")
    throw error
  }
}

const MOST_CODE = 2_048

function readAnswer(call: Call) {
  const { error, ...answer } = decode(call, ({ query }) => {
    const told = query.optionalText("error", MOST_CODE)
    const [state, code] =
      told === undefined
        ? [query.text("state", MOST_CODE), query.text("code", MOST_CODE)]
        : [query.optionalText("state", MOST_CODE) ?? "", query.optionalText("code", MOST_CODE) ?? ""]
    return { error: told, state, code, issuer: query.optionalText("iss", MOST_CODE) }
  })
  if (error === undefined) return answer
  const word = /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : ""
  throw new EngineError("unauthenticated", `the provider did not sign you in${word}: begin again from the dashboard`)
}
