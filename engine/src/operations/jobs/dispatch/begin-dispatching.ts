// Begins to push jobs through a broker, once every job type that a definition in use has is known to have its topic.
import { listServiceTypes } from "../../../store/definitions/definitions.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { type DispatchOptions, dispatchingOf } from "./dispatching.ts"

/** Throws with the command that makes what is missing. */
export async function beginDispatching(kernel: Kernel, options: DispatchOptions): Promise<void> {
  const dispatching = dispatchingOf(kernel)
  try {
    await dispatching.use(options)
    await dispatching.expectTopics(await listServiceTypes(kernel.db))
  } catch (error) {
    await dispatching.close()
    throw error
  }
}
