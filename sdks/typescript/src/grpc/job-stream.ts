// A stream of jobs: credit and "started" go up, jobs come down; it ends once, for whatever reason.
import type { JobStream, JobStreamEvents, JobStreamRequest } from "../client/job-types.ts"
import type * as proto from "../proto/index.ts"
import type { Channel } from "./channel.ts"
import { jobJson } from "./instance-messages.ts"
import type { Proto } from "./load-proto.ts"
import type { RpcCall } from "./rpc-call.ts"

interface Opening extends JobStreamRequest {
  readonly workerId: string
  readonly fields: Readonly<Record<string, string>>
}

export class GrpcJobStream implements JobStream {
  readonly #call: RpcCall
  readonly #proto: Proto

  private constructor(call: RpcCall, messages: Proto) {
    this.#call = call
    this.#proto = messages
  }

  static async open(channel: Channel, request: Opening, events: JobStreamEvents): Promise<GrpcJobStream> {
    const { fields, workerId, jobTypes, leaseSeconds = 0, credit } = request
    const { StreamJobsResponse, strictReader } = channel.proto
    const call = await channel.openJobStream(fields, {
      message: (bytes) => events.jobs(StreamJobsResponse.decode(strictReader(bytes)).jobs.map(jobJson)),
      ended: (failure) => events.ended(failure),
    })
    const stream = new GrpcJobStream(call, channel.proto)
    stream.#write({ open: { workerId, jobTypes: [...jobTypes], leaseSeconds, credit } })
    return stream
  }

  credit(more: number): void {
    this.#write({ credit: more })
  }

  started(jobs: readonly { readonly id: string; readonly leaseToken: string }[]): void {
    this.#write({ started: { jobs: jobs.map(({ id, leaseToken }) => ({ jobId: id, leaseToken })) } })
  }

  /** What was written before arrives first; then the engine ends the stream. */
  close(): void {
    this.#call.end()
  }

  #write(message: proto.StreamJobsRequest): void {
    this.#call.write(this.#proto.StreamJobsRequest.encode(message).finish())
  }
}
