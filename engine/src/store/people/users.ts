// Typed access to users.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Role } from "../../model/people/roles.ts"

const sql = statements(import.meta.url, "users", [
  "insertUser",
  "findUserByName",
  "listUsers",
  "noteSignIn",
  "promoteUser",
  "demoteUser",
  "disableUser",
  "enableUser",
  "changePassword",
  "improveHash",
  "listRevoked",
])

export interface UserRow extends Record<string, unknown> {
  readonly id: string
  readonly username: string
  readonly email: string
  readonly is_active: boolean
  readonly role: Role
  readonly token_version: number
  readonly created_at: number
  readonly signed_in_at: number | null
}

export interface StoredUserRow extends UserRow {
  readonly hashed_password: string
}

export interface NewUserRow {
  readonly id: string
  readonly username: string
  readonly email: string
  readonly hashedPassword: string
  readonly role: Role
}

/** Undefined where the name or the address is taken. */
export async function insertUser(db: Database, user: NewUserRow): Promise<UserRow | undefined> {
  const { id, username, email, hashedPassword, role } = user
  const [row] = await db.query<UserRow>(sql.insertUser, { id, username, email, hashedPassword, role })
  return row
}

export async function findUserByName(db: Database, username: string): Promise<StoredUserRow | undefined> {
  const [row] = await db.query<StoredUserRow>(sql.findUserByName, { username })
  return row
}

export const listUsers = (db: Database): Promise<UserRow[]> => db.query(sql.listUsers)

/** Returns the user as it is now, or undefined if it has been disabled. */
export async function noteSignIn(db: Database, id: string): Promise<UserRow | undefined> {
  const [row] = await db.query<UserRow>(sql.noteSignIn, { id })
  return row
}

const CHANGES = {
  promote: sql.promoteUser,
  demote: sql.demoteUser,
  disable: sql.disableUser,
  enable: sql.enableUser,
} as const

export type UserChange = keyof typeof CHANGES

/** False where there is no such user. */
export async function changeUser(db: Database, change: UserChange, username: string): Promise<boolean> {
  return (await db.query(CHANGES[change], { username })).length === 1
}

/** `verified`: the token version at the sign-in of who changes it. False where it has risen since, or there is none. */
export async function changePassword(
  db: Database,
  {
    username,
    hashedPassword,
    verified = null,
  }: Pick<NewUserRow, "username" | "hashedPassword"> & { readonly verified?: number | null },
): Promise<boolean> {
  return (await db.query(sql.changePassword, { username, hashedPassword, verified })).length === 1
}

/** `verified` is the hash that the password was just held against. */
export async function improveHash(
  db: Database,
  { id, verified, hashedPassword }: { readonly id: string; readonly verified: string; readonly hashedPassword: string },
): Promise<void> {
  await db.query(sql.improveHash, { id, verified, hashedPassword })
}

/** Whose tokens of earlier versions are refused; those that no token can be left of are not among them. */
export const listRevoked = (db: Database): Promise<{ id: string; token_version: number }[]> => db.query(sql.listRevoked)
