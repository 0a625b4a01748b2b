// Ends an answer that goes on for hours once its caller may no longer ask for it.
import { LOOK_AGAIN_MS, mayStill } from "../../calls/may-still.ts"
import type { RestOptions } from "../../calls/options.ts"
import { LOCAL, type Route } from "../../calls/route.ts"
import type { Answering, Asked } from "./exchange.ts"

interface Answered {
  readonly request: Asked
  readonly reply: Answering
  /** Ends the answer; destroys it unless it is said otherwise. */
  readonly end?: () => void
}

export function endWithCaller(options: RestOptions, route: Route, { request, reply: { raw }, end }: Answered): void {
  const { principal, visitor } = request
  if (principal === LOCAL || !visitor || route.permission === "anyone") return
  const look = async () => {
    if (await mayStill(options, route.permission, visitor)) return
    if (end) end()
    else raw.destroy()
  }
  const timer = setInterval(look, LOOK_AGAIN_MS)
  raw.once("close", () => clearInterval(timer))
}
