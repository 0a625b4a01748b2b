// The health service of grpc: serving while work can be taken, for the server as a whole and for our service.
import { Code } from "@millrace/sdk/grpc-protocol"
import { HealthService, HealthCheckResponse_ServingStatus as Serving } from "@millrace/sdk/proto"
import { badRequest, EngineError } from "../../support/errors.ts"
import type { RestOptions } from "../calls/options.ts"
import type { GrpcCall } from "./http2/grpc-call.ts"
import type { Handle } from "./http2/listener.ts"
import { readMessage } from "./read-message.ts"
import { refusalStatus } from "./refusal-status.ts"

const SERVICES = new Set(["", "workflow.v1.WorkflowEngine"])
const LOOK_AGAIN_MS = 1_000
/** Strangers may ask: no more is taken of them than the name of a service. */
const MOST_BYTES = 1_024

type Options = Pick<RestOptions, "ready" | "draining">

interface Health {
  readonly check: Handle
  readonly watch: Handle
  /** Ends every watch. */
  readonly close: () => void
}

export function healthOf(options: Options): Health {
  const watches = new Set<() => void>()
  const watch = (call: GrpcCall, look: () => Promise<Serving>) => {
    let last: number | undefined
    const tell = async () => {
      const serving = await look()
      if (serving !== last) void call.write(statusMessage(serving))
      last = serving
    }
    const timer = setInterval(tell, LOOK_AGAIN_MS)
    const end = () => {
      clearInterval(timer)
      watches.delete(end)
      call.end(Code.OK)
    }
    watches.add(end)
    call.onGone(end)
    void tell()
  }
  return {
    check: (call) =>
      asked(call, async (isKnown) => {
        if (isKnown) call.answer(statusMessage(await servingStatus(options)))
        else call.end(Code.NOT_FOUND, "there is no such service")
      }),
    watch: (call) =>
      asked(call, async (isKnown) =>
        watch(call, async () => (isKnown ? servingStatus(options) : Serving.SERVICE_UNKNOWN)),
      ),
    close: () => {
      for (const end of watches) end()
    },
  }
}

const statusMessage = (status: Serving): Buffer => HealthService.check.responseSerialize({ status })

/** Reads which service the call is about. */
async function asked(call: GrpcCall, answer: (isKnown: boolean) => Promise<void>): Promise<void> {
  try {
    const message = await call.only(MOST_BYTES)
    if (message === undefined) throw badRequest("the call has no message")
    await answer(SERVICES.has(readMessage(HealthService.check, message).service))
  } catch (thrown) {
    if (!(thrown instanceof EngineError)) throw thrown
    const { code, details } = refusalStatus(thrown, "")
    call.end(code, details)
  }
}

async function servingStatus({ ready, draining }: Options): Promise<Serving> {
  if (draining()) return Serving.NOT_SERVING
  return ready() === true || (await ready()) ? Serving.SERVING : Serving.NOT_SERVING
}
