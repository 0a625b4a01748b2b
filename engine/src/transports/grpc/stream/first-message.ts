// The first message of a stream of jobs, which opens it: a caller that sends none is not waited for long.
import type { ServerDuplexStream } from "@grpc/grpc-js"
import type { OpenStream, StreamJobsRequest, StreamJobsResponse } from "@millrace/sdk/proto"
import { badRequest } from "../../../support/errors.ts"
import { Undecodable } from "../undecodable.ts"

const PATIENCE_MS = 10_000

type Stream = ServerDuplexStream<StreamJobsRequest, StreamJobsResponse>

/** Undefined where the stream ended without one, or the server is closing. */
export async function firstMessage(call: Stream, closing: AbortSignal): Promise<OpenStream | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = badRequest("the stream was not opened within ten seconds: send `open` at once")
    timer = setTimeout(() => reject(error), PATIENCE_MS)
  })
  try {
    return await Promise.race([opening(call), ended(call, closing), late])
  } finally {
    clearTimeout(timer)
  }
}

function opening(call: Stream): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    call.once("data", (message: StreamJobsRequest | Undecodable) => {
      call.pause()
      if (message instanceof Undecodable) reject(message.error)
      else if (message.open) resolve(message.open)
      else reject(badRequest("the first message of a stream opens it: send `open`"))
    })
  })
}

function ended(call: Stream, closing: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (closing.aborted || call.cancelled) resolve(undefined)
    closing.addEventListener("abort", () => resolve(undefined))
    call.once("end", () => resolve(undefined))
    call.once("cancelled", () => resolve(undefined))
  })
}
