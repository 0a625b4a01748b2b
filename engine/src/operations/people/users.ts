// Users: added, promoted, disabled and listed. Hashing is done before the database is asked: no connection waits for it.
import { randomBytes } from "node:crypto"
import { Overloaded, Passwords, passwordFault } from "@millrace/guard/credentials"
import type { Database } from "../../db/database.ts"
import type { Role } from "../../model/people/roles.ts"
import { emailFault, usernameFault } from "../../model/people/user-fields.ts"
import {
  changePassword as changePasswordRow,
  changeUser as changeUserRow,
  insertUser,
  listUsers as listRows,
  type UserChange,
  type UserRow,
} from "../../store/people/users.ts"
import { badRequest, EngineError, notFound, type Violation } from "../../support/errors.ts"
import { perKernel } from "../kernel/kernel.ts"

export type { UserChange, UserRow } from "../../store/people/users.ts"

/** One line of hashes for a process, whichever door they come by. */
export const passwordsOf = perKernel(() => new Passwords())

export interface NewUser {
  readonly username: string
  readonly email: string
  readonly password: string
  /** USER unless the command line says otherwise: what a caller sends never decides it. */
  readonly role?: Role
}

export interface UserStore {
  readonly db: Database
  readonly passwords: Passwords
}

export async function addUser({ db, passwords }: UserStore, user: NewUser): Promise<UserRow> {
  const { username, email, password, role = "USER" } = user
  refuse([...faultsOf(user), ...passwordFaults(password, [username, email])])
  const hashedPassword = await unlessOverloaded(() => passwords.hash(password))
  const id = randomBytes(8).toString("hex")
  const row = await insertUser(db, { id, username, email, hashedPassword, role })
  if (row) return row
  throw new EngineError("conflict", "this user name or mail address is taken: choose another", { isDuplicate: true })
}

export const listUsers = (db: Database): Promise<UserRow[]> => listRows(db)

/** Demoting and disabling end the user's tokens and sessions everywhere within five seconds. */
export async function changeUser(db: Database, change: UserChange, username: string): Promise<void> {
  if (!(await changeUserRow(db, change, username))) throw noSuchUser(username)
}

/** By an operator. Ends the user's tokens and sessions too: the password may have been changed because others know it. */
export async function setPassword({ db, passwords }: UserStore, username: string, password: string): Promise<void> {
  const hashedPassword = await hashNew(passwords, username, password)
  if (!(await changePasswordRow(db, { username, hashedPassword }))) throw noSuchUser(username)
}

/**
 * By the user, who has just signed in with the old one. Refused where the old one no longer counts: a reset by an operator, made while the
 * new one was hashed, is not undone by the one who knew the old password.
 */
export async function changeOwnPassword(
  { db, passwords }: UserStore,
  { username, token_version: verified }: UserRow,
  password: string,
): Promise<void> {
  const hashedPassword = await hashNew(passwords, username, password)
  if (!(await changePasswordRow(db, { username, hashedPassword, verified })))
    throw new EngineError("unauthenticated", "the user name or the password is wrong")
}

function hashNew(passwords: Passwords, username: string, password: string): Promise<string> {
  refuse(passwordFaults(password, [username], "$.newPassword"))
  return unlessOverloaded(() => passwords.hash(password))
}

const noSuchUser = (username: string): EngineError =>
  notFound(`there is no user ${username}; \`millrace users list\` shows them`)

function faultsOf({ username, email }: NewUser): readonly Violation[] {
  const [name, address] = [usernameFault(username), emailFault(email)]
  return [...(name ? [{ path: "$.username", ...name }] : []), ...(address ? [{ path: "$.email", ...address }] : [])]
}

function passwordFaults(password: string, own: readonly string[], path = "$.password"): readonly Violation[] {
  const message = passwordFault(password, own)
  return message ? [{ path, message, hint: "several words that do not belong together are easy to keep" }] : []
}

function refuse(violations: readonly Violation[]): void {
  const [first] = violations
  if (first) throw badRequest(`${first.path.slice(2)} ${first.message}`, violations)
}

/** Nothing has been hashed then, so the same request may be sent again. */
export async function unlessOverloaded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Overloaded)) throw error
    throw new EngineError("unavailable", "too many people sign in at this moment: try again shortly", {
      retryAfterSeconds: 1,
    })
  }
}
