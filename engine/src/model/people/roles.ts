// The two roles of a user, and what each may do.
import type { SCOPES } from "./scopes.ts"

export const ROLES = ["USER", "ADMIN"] as const
export type Role = (typeof ROLES)[number]

/** A user may call what the gateway forwards, and nothing of the engine; an administrator may do everything. */
const SCOPES_OF: Readonly<Record<Role, readonly (typeof SCOPES)[number][]>> = {
  USER: ["gateway"],
  ADMIN: ["admin"],
}

export const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value)

export const scopesOfRole = (role: Role): readonly string[] => SCOPES_OF[role]
