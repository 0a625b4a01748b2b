// Routes of users: register, sign in for a token, change the password, and the public keys that verify tokens.
import type { wire } from "@millrace/sdk"
import { addUser, changeOwnPassword, passwordsOf } from "../../../operations/people/users.ts"
import { forbidden } from "../../../support/errors.ts"
import { created, noContent, ok } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import { UNWATCHED } from "../../calls/guard/credential-watch.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { type AttemptOptions, attemptSignIn, readAttempt, readPassword } from "./attempt.ts"

type Options = AttemptOptions & Pick<RestOptions, "people">

/** What they answer is for one caller alone. */
const headers = { "cache-control": "no-store" }

export const authRoutes = (options: Options): readonly Route[] => [
  {
    method: "POST",
    path: "/auth/register",
    permission: "anyone",
    routeClass: "login",
    headers,
    handle: (call) => register(options, call),
  },
  {
    method: "POST",
    path: "/auth/login",
    permission: "anyone",
    routeClass: "login",
    headers,
    handle: (call) => login(options, call),
  },
  {
    method: "POST",
    path: "/auth/password",
    permission: "anyone",
    routeClass: "login",
    headers,
    handle: (call) => changePassword(options, call),
  },
  {
    method: "GET",
    path: "/.well-known/jwks.json",
    permission: "anyone",
    routeClass: "health",
    handle: () => ok<wire.TokenKeys>({ keys: (options.people?.tokens.published ?? []).map((key) => ({ ...key })) }),
  },
]

async function register({ people, credentialWatch: watch = UNWATCHED, log }: Options, call: Call): Promise<Answer> {
  const { kernel, requestId } = call
  const user = decode(call, ({ body }) => ({
    username: body.text("username"),
    email: body.text("email", 1_024),
    password: readPassword(body, "password"),
  }))
  if (!people?.registration) throw forbidden(REGISTRATION_IS_OFF)
  await watch.before(call)
  const added = await addUser({ db: kernel.db, passwords: passwordsOf(kernel) }, user)
  log.info({ requestId, userId: added.id, caller: added.username }, "a user has registered")
  const { id, username, email, role, created_at } = added
  return created<wire.User>({ id, username, email, role, createdAt: new Date(created_at).toISOString() })
}

const REGISTRATION_IS_OFF =
  "registration is off: an operator adds users with `millrace users add`, or sets WE_REGISTRATION=on"
const NO_TOKENS =
  "this engine makes no tokens: its operator sets WE_JWT_SECRET to at least 32 random bytes, or WE_JWT_KEY_FILES to private keys"

async function login(options: Options, call: Call): Promise<Answer> {
  const attempt = decode(call, ({ body }) => readAttempt(body))
  const tokens = options.people?.tokens
  if (!tokens?.signs) throw forbidden(NO_TOKENS)
  const { token, expiresInSeconds } = await tokens.issue(await attemptSignIn(options, call, attempt))
  return ok<wire.AccessToken>({ access_token: token, token_type: "bearer", expires_in: expiresInSeconds })
}

async function changePassword(options: Options, call: Call): Promise<Answer> {
  const { kernel, requestId } = call
  const { newPassword, ...attempt } = decode(call, ({ body }) => ({
    ...readAttempt(body),
    newPassword: readPassword(body, "newPassword"),
  }))
  const user = await attemptSignIn(options, call, attempt)
  await changeOwnPassword({ db: kernel.db, passwords: passwordsOf(kernel) }, user, newPassword)
  options.log.info({ requestId, userId: user.id, caller: user.username }, "a password was changed")
  return noContent
}
