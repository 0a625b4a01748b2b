// The first message of a stream of jobs, which opens it: a caller that sends none is not waited for long.
import { type OpenStream, WorkflowEngineService } from "@millrace/sdk/proto"
import { badRequest } from "../../../support/errors.ts"
import type { GrpcCall } from "../http2/grpc-call.ts"
import { readMessage } from "../read-message.ts"

const PATIENCE_MS = 10_000

/** Undefined where the stream ended without one. */
export async function firstMessage(call: Pick<GrpcCall, "next">): Promise<OpenStream | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = badRequest("the stream was not opened within ten seconds: send `open` at once")
    timer = setTimeout(() => reject(error), PATIENCE_MS)
  })
  try {
    const message = await Promise.race([call.next(), late])
    return message && opening(message)
  } finally {
    clearTimeout(timer)
  }
}

function opening(message: Buffer): OpenStream {
  const { open } = readMessage(WorkflowEngineService.streamJobs, message)
  if (open) return open
  throw badRequest("the first message of a stream opens it: send `open`")
}
