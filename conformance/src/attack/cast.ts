// Who is on the stage: users with passwords, and keys of honest workers and operators.
import { runUsersAdd } from "../../../engine/dist/cli/commands/database/change-users.js"
import { loadConfig } from "../../../engine/dist/config.js"
import { Database } from "../../../engine/dist/db/database.js"
import { createApiKey } from "../../../engine/dist/operations/people/api-keys.js"

export interface Person {
  readonly username: string
  readonly password: string
}

export interface Cast {
  /** A user that no other attack goes by. */
  newPerson(username: string): Promise<Person>
  newKey(...scopes: string[]): Promise<string>
}

const PASSWORD = "plum otter lantern gravel"

export function castOn(dsn: string): Cast {
  const config = loadConfig({ env: { WE_POSTGRES_DSN: dsn } })
  return {
    async newPerson(username) {
      const user = { username, email: `${username}@example.com`, password: async () => PASSWORD }
      await runUsersAdd(config, user, () => {})
      return { username, password: PASSWORD }
    },
    async newKey(...scopes) {
      const db = new Database({ dsn, schema: "millrace", maxConnections: 1, applicationName: "attack" })
      const { key } = await createApiKey(db, { name: "of the attack", scopes }).finally(() => db.close())
      return key
    },
  }
}
