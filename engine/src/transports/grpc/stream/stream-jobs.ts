// The RPC StreamJobs: opens a stream of jobs for a worker, and turns its messages into credit and starts.
import { type ServerDuplexStream, status } from "@grpc/grpc-js"
import { Job, type OpenStream, type StreamJobsRequest, type StreamJobsResponse } from "@millrace/sdk/proto"
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { badRequest, EngineError } from "../../../support/errors.ts"
import { countFitting } from "../../calls/answer-size.ts"
import { decode } from "../../calls/decode.ts"
import { LOOK_AGAIN_MS, mayStill } from "../../calls/may-still.ts"
import { LOCAL } from "../../calls/route.ts"
import { pollableTypes, readClaim, shownJob } from "../../routes/jobs/job-claims.ts"
import { readWorker } from "../../routes/jobs/job-reports.ts"
import type { Departures } from "../departures.ts"
import { type DoorParts, Visit } from "../door.ts"
import { given } from "../rpc.ts"
import { structBytes } from "../struct-bytes.ts"
import { Undecodable } from "../undecodable.ts"
import { creditFault } from "./credit.ts"
import { firstMessage } from "./first-message.ts"
import { JobStream, type StreamClaim } from "./job-stream.ts"

type Stream = ServerDuplexStream<StreamJobsRequest, StreamJobsResponse>

const PERMISSION = "jobs:work"
/** Shorter than the age of a connection: its streams have ended by themselves before it is closed. */
const MAX_AGE_MS = 5 * 60_000

interface Parts extends DoorParts {
  readonly departures: Departures
}

interface OpenStreams {
  /** Resolves when the call has ended. */
  readonly handle: (call: Stream) => Promise<void>
  /** Ends every stream: workers open others elsewhere. */
  readonly close: () => void
}

export function streamJobsOf(parts: Parts): OpenStreams {
  const open = new Set<AbortController>()
  return {
    handle: async (call) => {
      const closing = new AbortController()
      open.add(closing)
      await serve(parts, call, closing.signal)
      open.delete(closing)
    },
    close: () => {
      for (const closing of open) closing.abort()
    },
  }
}

async function serve(parts: Parts, call: Stream, closing: AbortSignal): Promise<void> {
  const visit = new Visit(parts, call, { rpc: "StreamJobs", quiet: true, streams: true })
  // What is wrong with a stream is told by its status alone.
  call.on("error", () => {})
  try {
    await visit.enter({ permission: PERMISSION, streams: true })
    await pushJobs(parts, { call, visit, closing })
    await learnOfCancel(call)
    call.end(visit.trailer)
    visit.end(call.cancelled ? status.CANCELLED : status.OK)
  } catch (thrown) {
    const refusal = visit.refuse(thrown)
    call.emit("error", refusal)
    visit.end(refusal.code)
  }
}

/** A call that is cancelled has an end of its messages first; that it was cancelled is known two turns of the event loop later. */
async function learnOfCancel(call: Stream): Promise<void> {
  for (let turn = 0; turn < 4 && !call.cancelled; turn++) await new Promise(setImmediate)
}

interface Served {
  readonly call: Stream
  readonly visit: Visit
  /** The server is about to end. */
  readonly closing: AbortSignal
}

async function pushJobs({ kernel, options, departures }: Parts, { call, visit, closing }: Served): Promise<void> {
  const first = await firstMessage(call, closing)
  if (first === undefined || closing.aborted) return
  const claim = readOpening(first)
  const jobTypes = pollableTypes({ kernel, principal: visit.principal ?? LOCAL }, claim.jobTypes)
  const stream = new JobStream(kernel, { ...claim, jobTypes }, (jobs, signal) => {
    departures.pushed()
    return send(call, jobs, signal)
  })
  closing.addEventListener("abort", () => stream.end())
  const faults = listen(call, stream)
  const age = setTimeout(() => stream.end(), spread(MAX_AGE_MS))
  const watch = setInterval(async () => {
    if (visit.principal !== LOCAL && !(await mayStill(options, PERMISSION, visit))) faults.fail(revoked())
  }, LOOK_AGAIN_MS)
  takeCredit(stream, first.credit, faults.fail)
  try {
    await stream.run()
    faults.check()
  } finally {
    clearTimeout(age)
    clearInterval(watch)
  }
}

const readOpening = (open: OpenStream): StreamClaim =>
  decode({ body: given(open) as never, query: {} }, ({ body }) => {
    const { jobTypes, leaseMs } = readClaim(body)
    return { workerId: readWorker(body), jobTypes, leaseMs }
  })

/** Takes what the worker says from here on. A fault ends the stream and is thrown once it has ended. */
function listen(call: Stream, stream: JobStream) {
  let fault: EngineError | undefined
  const fail = (error: EngineError) => {
    fault ??= error
    stream.break()
  }
  call.on("data", (message: StreamJobsRequest | Undecodable) => {
    if (message instanceof Undecodable) return fail(message.error)
    if (message.open) return fail(badRequest("a stream is opened once: send `open` in the first message only"))
    if (message.credit !== undefined) takeCredit(stream, message.credit, fail)
    for (const { jobId, leaseToken } of message.started?.jobs ?? []) stream.started(jobId, leaseToken)
  })
  // A worker that has said its last word starts nothing more.
  call.on("end", () => stream.break())
  call.on("cancelled", () => stream.break())
  call.resume()
  const check = () => {
    if (fault) throw fault
  }
  return { fail, check }
}

function takeCredit(stream: JobStream, credit: number, fail: (error: EngineError) => void): void {
  const fault = creditFault(credit)
  if (fault) fail(fault)
  else stream.addCredit(credit)
}

/** In as many messages as it takes: clients cap one at 4 MiB. A worker that reads slowly is sent no more than it reads. */
async function send(call: Stream, jobs: readonly ClaimedJob[], signal: AbortSignal): Promise<void> {
  let rest = jobs
  while (rest.length > 0 && !signal.aborted) {
    const texts = rest.map(({ variables }) => variables)
    const part = rest.slice(0, countFitting(texts, structBytes))
    await write(call, part.map(jobMessage))
    rest = rest.slice(part.length)
  }
}

const jobMessage = (job: ClaimedJob): Job =>
  Job.fromPartial({ ...given(shownJob(job)), variables: JSON.parse(job.variables) })

/** Resolves once the worker's window has taken the message; for a worker that has gone it may never do. */
const write = (call: Stream, jobs: readonly Job[]): Promise<void> =>
  new Promise((resolve) => {
    call.write({ jobs: [...jobs] }, () => resolve())
  })

const spread = (ms: number): number => ms * (0.9 + Math.random() * 0.2)

const revoked = () => new EngineError("unauthenticated", "this API key is no longer valid")
