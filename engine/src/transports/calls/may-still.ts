// Whether the caller of an answer that goes on for hours may still ask for it: a revoked key closes its streams too.
import { EngineError } from "../../support/errors.ts"
import { authenticate, authorize, type Visitor } from "./authorize.ts"
import type { RestOptions } from "./options.ts"
import type { Permission } from "./route.ts"

/** How often to look. With the three seconds that a key or a session is remembered it makes five. */
export const LOOK_AGAIN_MS = 2_000

export async function mayStill(options: RestOptions, permission: Permission, visitor: Visitor): Promise<boolean> {
  try {
    authorize(await authenticate(options, visitor, { again: true }), permission)
    return true
  } catch (error) {
    // A database that does not answer has nothing to tell either.
    return !(error instanceof EngineError && (error.code === "unauthenticated" || error.code === "forbidden"))
  }
}
