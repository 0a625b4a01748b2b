// One attempt to sign in with a user name and a password: limited before it costs anything, and in the log whatever comes of it.
import { signInUser } from "../../../operations/people/sign-in.ts"
import type { UserRow } from "../../../operations/people/users.ts"
import { EngineError } from "../../../support/errors.ts"
import type { Fields } from "../../calls/fields.ts"
import { UNWATCHED } from "../../calls/guard/credential-watch.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Call } from "../../calls/route.ts"

export type AttemptOptions = Pick<RestOptions, "credentialWatch" | "log">

/** Longer than any password that is taken, and short enough to hash. */
const MOST_PASSWORD = 1_024
const MOST_NAME = 200

export const readAttempt = (body: Fields) => ({
  username: body.text("username", MOST_NAME),
  password: readPassword(body, "password"),
})

/** Which characters a new one may have, and how many, is judged where it is set. */
export const readPassword = (body: Fields, name: string): string => body.text(name, MOST_PASSWORD)

export async function attemptSignIn(
  { credentialWatch: watch = UNWATCHED, log }: AttemptOptions,
  call: Call,
  attempt: { readonly username: string; readonly password: string },
): Promise<UserRow> {
  const { kernel, requestId } = call
  await watch.before(call, attempt.username)
  const user = await signInUser(kernel, { ...attempt, isKnown: () => watch.isOwners(call, attempt.username) })
  if (!user) {
    await watch.failed(call, attempt.username)
    // Not the name that was tried: people type passwords into the wrong field.
    log.warn({ requestId }, "a sign-in was refused")
    throw new EngineError("unauthenticated", "the user name or the password is wrong")
  }
  await watch.signedIn(call, user.username)
  log.info({ requestId, caller: user.username, userId: user.id }, "signed in")
  return user
}
