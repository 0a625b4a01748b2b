// Calls of methods that there are not: judged by the guard as unknown paths of REST are, and refused as UNIMPLEMENTED.
import { EngineError } from "../../support/errors.ts"
import { type DoorParts, Visit } from "./door.ts"
import type { Handle } from "./http2/listener.ts"

/** In logs, metrics and reports: a caller may write any name, and there would be no end of them. */
const UNMATCHED = "unmatched"

const noSuchMethod = new EngineError("method-not-allowed", "there is no such method")

/** No message of it is taken in, whatever the caller takes the method for. */
export const unknownMethods =
  (parts: DoorParts): Handle =>
  async (call) => {
    const visit = new Visit(parts, call, { rpc: UNMATCHED, quiet: false, streams: false })
    try {
      await visit.enterUnknown()
      throw noSuchMethod
    } catch (thrown) {
      visit.refuse(thrown)
    }
  }
