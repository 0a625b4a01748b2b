// What a transport may know of the database's failures: how to tell a caller, and whether the database is away.
import type { Context } from "./context.ts"

export { hasSqlState, isAway as isDatabaseAway, toEngineError as asEngineError } from "../../db/errors.ts"

/** Throws while the database is away. */
export async function pingDatabase(ctx: Context): Promise<void> {
  await ctx.db.script("select 1")
}
