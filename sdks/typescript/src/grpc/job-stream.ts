// A stream of jobs: credit and "started" go up, jobs come down; it ends once, for whatever reason.
import type { ClientDuplexStream } from "@grpc/grpc-js"
import type { JobStream, JobStreamEvents, JobStreamRequest } from "../client/job-types.ts"
import type * as proto from "../proto/index.ts"
import { jobJson } from "./instance-messages.ts"

type Call = ClientDuplexStream<proto.StreamJobsRequest, proto.StreamJobsResponse>

export class GrpcJobStream implements JobStream {
  readonly #call: Call
  #over = false

  constructor(call: Call, request: JobStreamRequest & { readonly workerId: string }, events: JobStreamEvents) {
    this.#call = call
    const end = (error?: unknown) => {
      if (this.#over) return
      this.#over = true
      events.ended(error)
    }
    call.on("data", ({ jobs }: proto.StreamJobsResponse) => events.jobs(jobs.map(jobJson)))
    call.on("error", end)
    call.on("end", () => end())
    const { workerId, jobTypes, leaseSeconds = 0, credit } = request
    call.write({ open: { workerId, jobTypes: [...jobTypes], leaseSeconds, credit } })
  }

  credit(more: number): void {
    this.#write({ credit: more })
  }

  started(jobs: readonly { readonly id: string; readonly leaseToken: string }[]): void {
    this.#write({ started: { jobs: jobs.map(({ id, leaseToken }) => ({ jobId: id, leaseToken })) } })
  }

  /** What was written before arrives first; then the engine ends the stream. */
  close(): void {
    if (!this.#over) this.#call.end()
  }

  #write(message: proto.StreamJobsRequest): void {
    if (!this.#over) this.#call.write(message)
  }
}
