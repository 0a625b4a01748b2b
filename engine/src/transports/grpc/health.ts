// The health service of grpc: serving while work can be taken, for the server as a whole and for our service.
import { type handleServerStreamingCall, type handleUnaryCall, status } from "@grpc/grpc-js"
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus as Serving,
} from "@millrace/sdk/proto"
import type { RestOptions } from "../calls/options.ts"

const SERVICES = new Set(["", "workflow.v1.WorkflowEngine"])
const LOOK_AGAIN_MS = 1_000

type Options = Pick<RestOptions, "ready" | "draining">

interface Health {
  readonly check: handleUnaryCall<HealthCheckRequest, HealthCheckResponse>
  readonly watch: handleServerStreamingCall<HealthCheckRequest, HealthCheckResponse>
  /** Ends every watch. */
  readonly close: () => void
}

export function healthOf(options: Options): Health {
  const watches = new Set<() => void>()
  return {
    check: ({ request }, respond) => {
      if (!SERVICES.has(request.service))
        return respond({ code: status.NOT_FOUND, details: "there is no such service" })
      void servingStatus(options).then((serving) => respond(null, { status: serving }))
    },
    watch: (call) => {
      const isKnown = SERVICES.has(call.request.service)
      let last: number | undefined
      const look = async () => {
        const serving = isKnown ? await servingStatus(options) : Serving.SERVICE_UNKNOWN
        if (serving !== last) call.write({ status: serving })
        last = serving
      }
      const timer = setInterval(look, LOOK_AGAIN_MS)
      const end = () => {
        clearInterval(timer)
        watches.delete(end)
        call.end()
      }
      watches.add(end)
      call.on("cancelled", end)
      void look()
    },
    close: () => {
      for (const end of watches) end()
    },
  }
}

async function servingStatus({ ready, draining }: Options): Promise<Serving> {
  if (draining()) return Serving.NOT_SERVING
  return ready() === true || (await ready()) ? Serving.SERVING : Serving.NOT_SERVING
}
