// `millrace users`: people who sign in with a name and a password; what it does in the database is loaded when it runs.
import type { Command } from "commander"
import { loadConfig } from "../../../config.ts"
import type { UserChange } from "../../../operations/people/users.ts"
import { readPassword } from "../../terminal/read-password.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { afterMistake } from "../group.ts"

const CHANGES: Readonly<Record<UserChange, string>> = {
  promote: "Make a user an administrator; it counts from the next sign-in on.",
  demote: "Make an administrator a user; what was signed in ends within five seconds.",
  disable: "Refuse a user from now on; what was signed in ends within five seconds.",
  enable: "Take a disabled user again.",
}

const FROM_STDIN = ["--password-stdin", "read the password from a pipe instead of asking for it"] as const

export function addUsers(program: Command, around: Surroundings): void {
  const users = program
    .command("users")
    .description("Add, list, promote and disable the people who sign in with a password.")
    .helpCommand(false)
  addAdd(users, around)
  for (const [change, description] of Object.entries(CHANGES)) addChange(users, around, { change, description })
  users
    .command("list")
    .description("List the users: id, name, mail address, role, state, last sign-in.")
    .action(async () => {
      const { runUsersList } = await import("./change-users.ts")
      await runUsersList(loadConfig({ env: around.env }), around)
    })
  addPassword(users, around)
}

function addAdd(users: Command, around: Surroundings): void {
  afterMistake(users.command("add <name>"), "millrace users add ada --email ada@example.com --admin")
    .description("Add a user. The password is asked for, and never an argument.")
    .requiredOption("--email <address>", "the mail address")
    .option(
      "--admin",
      "an administrator, who may do everything; without it a user, who may call what the gateway forwards",
    )
    .option(...FROM_STDIN)
    .action(async (username: string, options: { email: string; admin?: boolean; passwordStdin?: boolean }) => {
      const { runUsersAdd } = await import("./change-users.ts")
      const password = () => readPassword(around, options.passwordStdin)
      await runUsersAdd(loadConfig({ env: around.env }), { username, ...options, password }, around.print)
    })
}

interface Change {
  readonly change: string
  readonly description: string
}

function addChange(users: Command, around: Surroundings, { change, description }: Change): void {
  afterMistake(users.command(`${change} <name>`), `millrace users ${change} ada`)
    .description(description)
    .action(async (username: string) => {
      const { runUsersChange } = await import("./change-users.ts")
      await runUsersChange(loadConfig({ env: around.env }), { change: change as UserChange, username }, around.print)
    })
}

function addPassword(users: Command, around: Surroundings): void {
  afterMistake(users.command("password <name>"), "millrace users password ada")
    .description("Give a user a new password; what was signed in with the old one ends within five seconds.")
    .option(...FROM_STDIN)
    .action(async (username: string, options: { passwordStdin?: boolean }) => {
      const { runUsersPassword } = await import("./change-users.ts")
      const password = () => readPassword(around, options.passwordStdin)
      await runUsersPassword(loadConfig({ env: around.env }), { username, password }, around.print)
    })
}
