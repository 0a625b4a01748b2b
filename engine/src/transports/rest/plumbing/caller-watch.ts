// Ends an answer that goes on for hours once its caller may no longer ask for it: a revoked key closes its streams too.
import type { FastifyReply, FastifyRequest } from "fastify"
import { EngineError } from "../../../support/errors.ts"
import { authenticate, authorize } from "../../calls/authorize.ts"
import type { RestOptions } from "../../calls/options.ts"
import { LOCAL, type Route } from "../../calls/route.ts"

/** With the three seconds that a key or a session is remembered it makes five. */
const LOOK_AGAIN_MS = 2_000

export function endWithCaller(
  options: RestOptions,
  route: Route,
  request: FastifyRequest,
  { raw }: FastifyReply,
): void {
  if (request.principal === LOCAL) return
  const look = async () => {
    if (!(await mayStill(options, route, request))) raw.destroy()
  }
  const timer = setInterval(look, LOOK_AGAIN_MS)
  raw.once("close", () => clearInterval(timer))
}

async function mayStill(options: RestOptions, route: Route, { headers }: FastifyRequest): Promise<boolean> {
  try {
    authorize(await authenticate(options, headers, { again: true }), route.permission)
    return true
  } catch (error) {
    // A database that does not answer has nothing to tell either.
    return !(error instanceof EngineError && (error.code === "unauthenticated" || error.code === "forbidden"))
  }
}
