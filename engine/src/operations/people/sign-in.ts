// Signing in with a user name and a password. A name that is not known costs what a wrong password costs, and is told the same.
import type { IsKnown } from "@millrace/guard/credentials"
import { scopesOfRole } from "../../model/people/roles.ts"
import { findUserByName, improveHash, noteSignIn, type StoredUserRow, type UserRow } from "../../store/people/users.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { SignedIn } from "./sessions.ts"
import { passwordsOf, unlessOverloaded } from "./users.ts"

export interface Attempt {
  readonly username: string
  readonly password: string
  /** Whether its owner has signed in from there before: guesses do not take the last places in the line for hashing. */
  readonly isKnown?: IsKnown
}

/** Undefined for a name or a password that is wrong, and for a user that is disabled. */
export async function signInUser(kernel: Kernel, attempt: Attempt): Promise<UserRow | undefined> {
  const { username, password, isKnown } = attempt
  const user = await findUserByName(kernel.db, username)
  const check = await unlessOverloaded(() => passwordsOf(kernel).check(password, user?.hashed_password, isKnown))
  if (!user?.is_active || !check.matches) return undefined
  if (check.isWeak) await rehash(kernel, user, password)
  // Reads the user again: it may have been disabled or demoted while the password was hashed.
  const now = await noteSignIn(kernel.db, user.id)
  return now?.token_version === user.token_version ? now : undefined
}

/** Not worth refusing a sign-in for: the next one tries it again. */
async function rehash(
  kernel: Kernel,
  { id, hashed_password: verified }: StoredUserRow,
  password: string,
): Promise<void> {
  try {
    const hashedPassword = await passwordsOf(kernel).hash(password)
    await improveHash(kernel.db, { id, verified, hashedPassword })
  } catch (error) {
    kernel.log.warn({ err: error, userId: id }, "the hash of a password could not be made anew")
  }
}

export const principalOfUser = ({ id, username, role, token_version }: UserRow): SignedIn => ({
  id,
  name: username,
  scopes: scopesOfRole(role),
  subject: `user:${id}`,
  tokenVersion: token_version,
})
