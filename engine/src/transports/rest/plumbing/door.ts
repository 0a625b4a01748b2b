// The door every request comes through: host and origin, CORS, unknown routes. Nothing of a body has been read yet.
import { type Admission, checkHead } from "../../calls/admission.ts"
import { enterOpen } from "../../calls/guard/enter.ts"
import type { RestOptions } from "../../calls/options.ts"
import { whenDone } from "../../calls/when-done.ts"
import { type AllowedMethods, noSuchMethod, noSuchRoute } from "./allowed-methods.ts"
import type { Answering, Asked, Step } from "./exchange.ts"
import { goneSignal } from "./gone-signal.ts"
import { commonHeaders, type Refuse } from "./send.ts"
import { visitorOf } from "./visitor.ts"

interface Parts {
  readonly admission: Admission
  readonly allowed: AllowedMethods
  readonly refuse: Refuse
  readonly options: RestOptions
}

const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": "Accept, Authorization, Content-Type, Idempotency-Key",
  "access-control-max-age": "300",
}

export function doorOf({ admission, allowed, refuse, options }: Parts): Step {
  const hasCors = options.corsOrigins.length > 0
  return (request, reply, done) => {
    commonHeaders(request, reply, options.draining())
    try {
      checkHead(request.raw.rawHeaders)
      admission.checkHost(request.raw.headers.host, request.raw.socket.localAddress)
      if (hasCors && answerCors(admission, request, reply)) return
      if (request.is404) return judgeUnknown(request, reply)
      if (request.routeOptions.config.isForwarded) admission.checkForwarded(request.raw)
      else admission.checkWrite(request.raw)
    } catch (error) {
      return refuse(request, reply, error)
    }
    done()
  }

  /** An unknown path is answered here. A caller that tries out paths is limited as on public routes. */
  function judgeUnknown(request: Asked, reply: Answering): void {
    const visitor = visitorOf(options, request, UNKNOWN)
    request.visitor = visitor
    const tell = (name: string, value: string) => void reply.header(name, value)
    const unknown = () => refuseUnknown(allowed, request, reply)
    const judged = whenDone(enterOpen(options, { visitor, tell, gone: () => goneSignal(reply) }), unknown)
    if (judged instanceof Promise) judged.catch((error) => refuse(request, reply, error))
  }
}

const UNKNOWN = { routeClass: "public", path: "unmatched" } as const

/** True when this was a preflight, which is answered here. */
function answerCors(admission: Admission, request: Asked, reply: Answering): boolean {
  reply.header("vary", "Origin")
  const origin = admission.corsOrigin(request.headers)
  if (origin === undefined) return false
  reply.header("access-control-allow-origin", origin)
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return false
  reply.headers(PREFLIGHT)
  reply.code(204)
  reply.send()
  return true
}

function refuseUnknown(allowed: AllowedMethods, request: Asked, reply: Answering): never {
  const { url = "" } = request.raw
  const methods = allowed.of(url)
  if (methods === undefined) throw noSuchRoute(allowed.meant(url))
  reply.header("allow", methods)
  throw noSuchMethod
}
