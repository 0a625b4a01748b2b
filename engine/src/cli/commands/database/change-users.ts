// What `millrace users` does in the database.
import { Passwords } from "@millrace/guard/credentials"
import type { Config } from "../../../config.ts"
import type { Database } from "../../../db/database.ts"
import { migrate } from "../../../db/migrate.ts"
import {
  addUser,
  changeUser,
  listUsers,
  setPassword,
  type UserChange,
  type UserRow,
} from "../../../operations/people/users.ts"
import { EngineError } from "../../../support/errors.ts"
import { safeText } from "../../../support/redact.ts"
import { CommandError } from "../../command-error.ts"
import { type Canvas, table } from "../../drawing/table.ts"
import { say } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { type Print, withDatabase } from "./visit-database.ts"

interface NewUser {
  readonly username: string
  readonly email: string
  readonly admin?: boolean
  /** Asked for when the database has answered. */
  readonly password: () => Promise<string>
}

export const runUsersAdd = (config: Config, { username, email, admin, password }: NewUser, print: Print) =>
  visit(config, async (db) => {
    const user = { username, email, password: await password(), role: admin ? ("ADMIN" as const) : ("USER" as const) }
    const { id, role } = await addUser({ db, passwords: new Passwords() }, user)
    print(`User ${username} (${id}) is added as ${role}: ${MAY[role]}.`)
  })

const MAY = { USER: "may call what the gateway forwards", ADMIN: "may do everything" } as const

const DONE: Readonly<Record<UserChange, string>> = {
  promote: "is an administrator from the next sign-in on",
  demote: "is a USER now; every engine refuses what was signed in within five seconds",
  disable: "is disabled; every engine refuses what was signed in within five seconds",
  enable: "is taken again, and has to sign in anew",
}

interface Changed {
  readonly change: UserChange
  readonly username: string
}

export const runUsersChange = (config: Config, { change, username }: Changed, print: Print) =>
  visit(config, async (db) => {
    await changeUser(db, change, username)
    print(`${safeText(username)} ${DONE[change]}.`)
  })

export const runUsersPassword = (
  config: Config,
  { username, password }: Pick<NewUser, "username" | "password">,
  print: Print,
) =>
  visit(config, async (db) => {
    await setPassword({ db, passwords: new Passwords() }, username, await password())
    print(`${safeText(username)} has a new password; every engine refuses what was signed in within five seconds.`)
  })

export const runUsersList = (config: Config, around: Surroundings) =>
  visit(config, async (db) => say(around, {}, await listUsers(db), drawUsers))

const drawUsers = (rows: readonly UserRow[], canvas: Canvas): readonly string[] =>
  rows.length === 0
    ? ["There are no users. `millrace users add <name> --email <address>` adds one."]
    : table<UserRow>(
        [
          { title: "ID", of: ({ id }) => id },
          { title: "NAME", of: ({ username }) => safeText(username) },
          { title: "MAIL", of: ({ email }) => safeText(email) },
          { title: "ROLE", of: ({ role }) => role },
          { title: "STATE", of: (row) => (row.is_active ? "active" : "disabled") },
          { title: "SIGN-IN", of: seen },
        ],
        rows,
        canvas,
      )

const seen = ({ signed_in_at }: UserRow): string =>
  signed_in_at === null ? "never signed in" : `signed in ${new Date(signed_in_at).toISOString().slice(0, 10)}`

/** Reports each fault of a name, an address or a password on a line of its own, with what to do about it. */
async function visit(config: Config, work: (db: Database) => Promise<void>): Promise<void> {
  try {
    await withDatabase(config, async (db) => {
      await migrate(db)
      await work(db)
    })
  } catch (error) {
    if (!(error instanceof EngineError) || !error.details) throw error
    const lines = error.details.map(
      ({ path, message, hint }) => `${path.slice(2)} ${message}${hint ? `: ${hint}` : ""}`,
    )
    throw new CommandError(lines.join("\n"))
  }
}
