// The client of an engine: everything a worker, a service or an operator asks of it.

import { type CallOptions, isTrouble } from "../calls/caller.ts"
import { type AskedArguments, OperationCaller } from "../calls/operation-caller.ts"
import type { Answer, OperationId } from "../calls/operations.ts"
import { refuseOptionsBeyond } from "../calls/unknown-fields.ts"
import { type Connection, connect } from "./connection.ts"
import { DeadLetterClient } from "./dead-letter-client.ts"
import { CLIENT_OPTIONS, type EngineClientOptions } from "./engine-client-options.ts"
import { EventClient } from "./event-client.ts"
import { FlowClient } from "./flow-client.ts"
import { InboxClient } from "./inbox-client.ts"
import type { JobStream, JobStreamEvents, JobStreamRequest } from "./job-types.ts"
import { ObservabilityClient } from "./observability-client.ts"
import { ScheduleClient } from "./schedule-client.ts"

/** The client of an engine, over REST or gRPC as its `url` says: definitions, instances, jobs, queues, schedules and the inbox. */
export class EngineClient extends InboxClient {
  /** What another thread needs to speak to the same engine. */
  readonly options: EngineClientOptions
  /** Weights, watermarks, pauses, downstreams, and how the queue stands. */
  readonly queues: FlowClient
  readonly deadLetters: DeadLetterClient
  readonly schedules: ScheduleClient
  /** Publishing, and the sinks that events go to. */
  readonly events: EventClient
  /** How the engine stands, and how it went. */
  readonly observability: ObservabilityClient
  readonly #connection: Connection

  constructor(options: EngineClientOptions) {
    refuseOptionsBeyond(CLIENT_OPTIONS, options, "EngineClient")
    const connection = connect(options)
    const { autoIdempotencyKeys = true, traceContext } = options
    const operations = new OperationCaller(connection.caller, { autoKeys: autoIdempotencyKeys, traceContext })
    super(operations, options.workerId)
    this.options = options
    this.#connection = connection
    this.queues = new FlowClient(operations)
    this.deadLetters = new DeadLetterClient(operations)
    this.schedules = new ScheduleClient(operations)
    this.events = new EventClient(operations)
    this.observability = new ObservabilityClient(operations)
  }

  /** Any operation of the contract by its id, in the words of the wire: `call("getJob", { path: { jobId } })`. */
  call<Id extends OperationId>(operation: Id, ...asked: AskedArguments<Id>): Promise<Answer<Id>> {
    return this.operations.call(operation, ...asked)
  }

  /** Has jobs pushed as they come; over gRPC alone. */
  streamJobs(request: JobStreamRequest, events: JobStreamEvents): Promise<JobStream> {
    const { streams } = this.#connection
    const workerId = request.workerId ?? this.options.workerId
    if (!streams) throw new TypeError("streams are in the gRPC contract alone: give the EngineClient a grpc:// url")
    if (!workerId) throw new TypeError("a workerId is needed: give it to the EngineClient or to the call")
    const wire = streams.current
    const noted = <E>(error: E): E => {
      if (isTrouble(error)) streams.leave(wire)
      return error
    }
    const ended = (error?: unknown) => events.ended(noted(error))
    return wire.openStream({ ...request, workerId }, { ...events, ended }).catch((error) => {
      throw noted(error)
    })
  }

  /** Loads the packages that gRPC needs; rejects with the command that installs them. Nothing to do over REST. */
  prepare(): Promise<void> {
    return this.#connection.prepare()
  }

  /** Resolves when the engine can take work, else rejects. Over gRPC its health service tells. */
  async ready(options?: CallOptions): Promise<void> {
    await this.operations.call("getReadiness", {}, options)
  }

  /** Closes the connections; calls in flight fail. */
  close(): void {
    this.#connection.close()
  }
}
