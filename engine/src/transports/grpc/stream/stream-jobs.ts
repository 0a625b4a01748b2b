// The RPC StreamJobs: opens a stream of jobs for a worker, and turns its messages into credit and starts.
import { Code } from "@millrace/sdk/grpc-protocol"
import { Job, type OpenStream, WorkflowEngineService } from "@millrace/sdk/proto"
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { badRequest, EngineError } from "../../../support/errors.ts"
import { countFitting } from "../../calls/answer-size.ts"
import { decode } from "../../calls/decode.ts"
import { departuresOf } from "../../calls/departures.ts"
import { LOOK_AGAIN_MS, mayStill } from "../../calls/may-still.ts"
import { LOCAL } from "../../calls/route.ts"
import { pollableTypes, readClaim, shownJob } from "../../routes/jobs/job-claims.ts"
import { readWorker } from "../../routes/jobs/job-reports.ts"
import { type DoorParts, Visit } from "../door.ts"
import { spread } from "../http2/connection-age.ts"
import type { GrpcCall } from "../http2/grpc-call.ts"
import { readMessage } from "../read-message.ts"
import { given } from "../rpc.ts"
import { structBytes } from "../struct-bytes.ts"
import { creditFault } from "./credit.ts"
import { firstMessage } from "./first-message.ts"
import { JobStream, type StreamClaim } from "./job-stream.ts"

const { streamJobs } = WorkflowEngineService

const PERMISSION = "jobs:work"
/** Shorter than the age of a connection: its streams have ended by themselves before it is closed. */
const MAX_AGE_MS = 5 * 60_000

interface OpenStreams {
  /** Resolves when the call has ended. */
  readonly handle: (call: GrpcCall) => Promise<void>
  /** Ends every stream: workers open others elsewhere. */
  readonly close: () => void
}

export function streamJobsOf(parts: DoorParts): OpenStreams {
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

async function serve(parts: DoorParts, call: GrpcCall, closing: AbortSignal): Promise<void> {
  const visit = new Visit(parts, call, { rpc: "StreamJobs", quiet: true, streams: true })
  try {
    await visit.enter({ permission: PERMISSION, streams: true })
    await pushJobs(parts, { call, visit, closing })
    await learnOfCancel(call)
    call.end(Code.OK, "", visit.trailer)
    visit.end(Code.OK)
  } catch (thrown) {
    visit.refuse(thrown)
  }
}

/** Clients on Node end the messages of a call that they cancel; that it was cancelled is known two turns of the event loop later. */
async function learnOfCancel(call: GrpcCall): Promise<void> {
  for (let turn = 0; turn < 4 && call.goneWith === undefined; turn++) await new Promise(setImmediate)
}

interface Served {
  readonly call: GrpcCall
  readonly visit: Visit
  /** The server is about to end. */
  readonly closing: AbortSignal
}

async function pushJobs({ kernel, options }: DoorParts, { call, visit, closing }: Served): Promise<void> {
  const stopWaiting = () => call.stopReading()
  closing.addEventListener("abort", stopWaiting)
  const first = await firstMessage(call)
  closing.removeEventListener("abort", stopWaiting)
  if (first === undefined || closing.aborted) return
  const claim = readOpening(first)
  const jobTypes = pollableTypes({ kernel, principal: visit.principal ?? LOCAL }, claim.jobTypes)
  const stream = new JobStream(kernel, { ...claim, jobTypes }, (jobs, signal) => {
    departuresOf(kernel).pushed()
    return send(call, jobs, signal)
  })
  takeCredit(stream, first.credit)
  closing.addEventListener("abort", () => stream.end())
  const faults = listen(call, stream)
  const age = setTimeout(() => stream.end(), spread(MAX_AGE_MS))
  const watch = setInterval(async () => {
    if (visit.principal !== LOCAL && !(await mayStill(options, PERMISSION, visit))) faults.fail(revoked())
  }, LOOK_AGAIN_MS)
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
function listen(call: GrpcCall, stream: JobStream) {
  let fault: unknown
  const fail = (error: unknown) => {
    fault ??= error
    stream.break()
  }
  // A worker that has said its last word starts nothing more.
  void hearAll(call, stream).then(() => stream.break(), fail)
  const check = () => {
    if (fault) throw fault
  }
  return { fail, check }
}

async function hearAll(call: GrpcCall, stream: JobStream): Promise<void> {
  for (let bytes = await call.next(); bytes !== undefined; bytes = await call.next()) {
    const { open, credit, started } = readMessage(streamJobs, bytes)
    if (open) throw badRequest("a stream is opened once: send `open` in the first message only")
    if (credit !== undefined) takeCredit(stream, credit)
    for (const { jobId, leaseToken } of started?.jobs ?? []) stream.started(jobId, leaseToken)
  }
}

function takeCredit(stream: JobStream, credit: number): void {
  const fault = creditFault(credit)
  if (fault) throw fault
  stream.addCredit(credit)
}

/** In as many messages as it takes: clients cap one at 4 MiB. A worker that reads slowly is sent no more than it reads. */
async function send(call: GrpcCall, jobs: readonly ClaimedJob[], signal: AbortSignal): Promise<void> {
  let rest = jobs
  while (rest.length > 0 && !signal.aborted) {
    const texts = rest.map(({ variables }) => variables)
    const part = rest.slice(0, countFitting(texts, structBytes))
    await call.write(streamJobs.responseSerialize({ jobs: part.map(jobMessage) }))
    rest = rest.slice(part.length)
  }
}

const jobMessage = (job: ClaimedJob): Job =>
  Job.fromPartial({ ...given(shownJob(job)), variables: JSON.parse(job.variables) })

const revoked = () => new EngineError("unauthenticated", "this API key is no longer valid")
