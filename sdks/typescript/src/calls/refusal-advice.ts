// What to do about a refusal, said in its message: a wrong key, a wrong port, an engine that is older than the call.
import { VERSION } from "../generated/version.ts"
import { type MillraceError, ServerTooOldError } from "./errors.ts"

export interface Refused {
  readonly url: string
  /** `POST /v1/jobs/exchange`, or the name of the RPC. */
  readonly call: string
  /** What the engine told of itself; its port for metrics and strangers tell nothing. */
  readonly serverVersion: string | undefined
  readonly hasKey: boolean
}

const PORTS = "An engine has REST on 8080, gRPC on 9090 and metrics on 9091 unless told otherwise"

export function adviseOnRefusal(error: MillraceError, refused: Refused): MillraceError {
  if (isUnknownCall(error)) return unknownCall(error, refused)
  if (error.status === 401) return error.advise(keyAdvice(refused))
  if (error.status === 403)
    return error.advise("Use a key whose scopes cover this call: `millrace keys list` shows them.")
  if (error.code.startsWith("http-4") && refused.serverVersion === undefined)
    return error.advise(`This is no answer of an engine: is ${refused.url} the right address? ${PORTS}.`)
  return error
}

const keyAdvice = ({ hasKey }: Refused): string =>
  hasKey
    ? "Check the apiKey of the client: `millrace keys list` shows which there are, `millrace keys create` makes one."
    : "Give the client an apiKey: `millrace keys create` makes one."

/** How an engine says that it knows no such route; a resource that is not there is refused in other words. */
const NO_SUCH_ROUTE = "there is no such route"

/** The HTTP status that stands for UNIMPLEMENTED of gRPC. */
const UNIMPLEMENTED = 501

const isUnknownCall = ({ status, message }: MillraceError): boolean =>
  status === 405 || status === UNIMPLEMENTED || (status === 404 && message === NO_SUCH_ROUTE)

/** The port for metrics refuses a route alike, and is no older than the SDK; what refuses an RPC and tells no version is old. */
function unknownCall(error: MillraceError, { url, call, serverVersion }: Refused): MillraceError {
  const isOld = serverVersion === undefined ? error.status === UNIMPLEMENTED : isOlder(serverVersion)
  if (!isOld) return error.advise(`Is ${url} the right address, and the engine new enough? ${PORTS}.`)
  const server = serverVersion === undefined ? "older than this SDK" : `version ${serverVersion}`
  const advice = `Upgrade the engine to ${VERSION} or newer, the version of this SDK, or do without this call`
  return new ServerTooOldError(
    error,
    `the engine at ${url} is ${server} and does not know ${call}. ${advice}.`,
    serverVersion,
  )
}

/** Whether a version comes before that of this SDK. */
const isOlder = (version: string): boolean => version.localeCompare(VERSION, "en", { numeric: true }) < 0
