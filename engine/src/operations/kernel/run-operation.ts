// What a transport may know of the database's failures: how to tell a caller, and whether the database is away.
import { ping } from "../../store/kernel/server.ts"
import type { Kernel } from "./kernel.ts"

export {
  hasSqlState,
  isAway as isDatabaseAway,
  isPostponed as isPostponedByDatabase,
  isRefusal as isRefusedByDatabase,
  isServerError,
  toEngineError as asEngineError,
} from "../../db/errors.ts"

/** Throws while the database is away. */
export async function pingDatabase(kernel: Kernel): Promise<void> {
  await ping(kernel.db)
}
