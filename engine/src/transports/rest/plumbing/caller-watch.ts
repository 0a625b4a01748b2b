// Ends an answer that goes on for hours once its caller may no longer ask for it.
import type { FastifyReply, FastifyRequest } from "fastify"
import { LOOK_AGAIN_MS, mayStill } from "../../calls/may-still.ts"
import type { RestOptions } from "../../calls/options.ts"
import { LOCAL, type Route } from "../../calls/route.ts"
import { visitorOf } from "./visitor.ts"

interface Answered {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export function endWithCaller(options: RestOptions, route: Route, { request, reply: { raw } }: Answered): void {
  if (request.principal === LOCAL) return
  const look = async () => {
    if (!(await mayStill(options, route.permission, visitorOf(request)))) raw.destroy()
  }
  const timer = setInterval(look, LOOK_AGAIN_MS)
  raw.once("close", () => clearInterval(timer))
}
