// Calls of methods that there are not: judged by the guard as unknown paths of REST are, and refused as UNIMPLEMENTED.
import { type handleBidiStreamingCall, type Server, status } from "@grpc/grpc-js"
import { EngineError } from "../../support/errors.ts"
import { type DoorParts, Visit } from "./door.ts"

/** In logs, metrics and reports: a caller may write any name, and there would be no end of them. */
const UNMATCHED = "unmatched"

const noSuchMethod = new EngineError("method-not-allowed", "there is no such method")

type Handle = handleBidiStreamingCall<Buffer, Buffer>

/** What grpc-js asks for the handler of a call. There is no public way to give it one for names that it does not know. */
interface Lookup {
  _retrieveHandler(path: string): object | null
}

/** By itself grpc-js refuses such a call before an interceptor or a handler hears of it: neither limited nor logged. */
export function answerUnknownMethods(server: Server, parts: DoorParts): void {
  const asIs = (bytes: Buffer) => bytes
  server.register(`/${UNMATCHED}`, handlerOf(parts), asIs, asIs, "bidi")
  const lookup = server as unknown as Lookup
  const find = lookup._retrieveHandler.bind(server)
  lookup._retrieveHandler = (path) => find(path) ?? find(`/${UNMATCHED}`)
}

/** As a stream of which nothing is read: whatever the caller takes the method for, no message of it is taken in. */
const handlerOf =
  (parts: DoorParts): Handle =>
  async (call) => {
    const visit = new Visit(parts, call, { rpc: UNMATCHED, quiet: false, streams: false })
    call.on("cancelled", () => visit.end(status.CANCELLED))
    call.on("error", () => {})
    const refusal = visit.refuse(await refusedWith(visit))
    call.emit("error", refusal)
    visit.end(refusal.code)
  }

async function refusedWith(visit: Visit): Promise<unknown> {
  try {
    await visit.enterUnknown()
    return noSuchMethod
  } catch (error) {
    return error
  }
}
