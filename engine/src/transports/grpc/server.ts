// The door over gRPC: every RPC of the contract, health and reflection, on one port.
import { networkInterfaces } from "node:os"
import { Server, ServerCredentials } from "@grpc/grpc-js"
import {
  HealthService,
  ServerReflectionAlphaService,
  ServerReflectionService,
  WorkflowEngineService,
} from "@millrace/sdk/proto"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { Admission } from "../calls/admission.ts"
import { DatabaseWatch } from "../calls/database-watch.ts"
import type { RestOptions, TlsFiles } from "../calls/options.ts"
import { closeServer } from "./close-server.ts"
import { Departures } from "./departures.ts"
import type { DoorParts } from "./door.ts"
import { healthOf } from "./health.ts"
import { reflectionOf } from "./reflection.ts"
import type { Rpc } from "./rpc.ts"
import { definitionRpcs } from "./rpcs/definition-rpcs.ts"
import { instanceRpcs } from "./rpcs/instance-rpcs.ts"
import { jobRpcs } from "./rpcs/job-rpcs.ts"
import { streamJobsOf } from "./stream/stream-jobs.ts"
import { unaryOf } from "./unary.ts"
import { tolerant } from "./undecodable.ts"
import { UnderWay } from "./under-way.ts"
import { answerUnknownMethods } from "./unknown-methods.ts"

export interface GrpcServer {
  /** Resolves with the address, once connections are taken. */
  listen(port: number, host: string): Promise<string>
  /** Takes no new calls, lets those under way finish, and cuts off what is not done in time. */
  close(): Promise<void>
}

export const unaryRpcs = { ...definitionRpcs, ...instanceRpcs, ...jobRpcs }

const MIB = 1_048_576

/** Numbers take up to five times the room in a Struct that they take in JSON, whose limit is 1 MiB. */
const MAX_MESSAGE = 6 * MIB

const TUNING = {
  "grpc.max_receive_message_length": MAX_MESSAGE,
  "grpc.max_send_message_length": -1,
  // So that the connections of a fleet find new replicas; grpc-js spreads it by a tenth either way.
  "grpc.max_connection_age_ms": 10 * 60_000,
  // Streams of jobs end by themselves within it.
  "grpc.max_connection_age_grace_ms": 6 * 60_000,
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  // Its records of every call and message are for a service that is not served.
  "grpc.enable_channelz": 0,
}

export function createGrpcServer(kernel: Kernel, options: RestOptions): GrpcServer {
  const server = new Server(TUNING)
  const admission = new Admission(options.allowedHosts, [])
  const parts = { kernel, options, admission, watch: new DatabaseWatch(kernel, options.log) }
  const departures = new Departures()
  const health = healthOf(options)
  const reflection = reflectionOf(parts)
  const streams = streamJobsOf({ ...parts, departures })
  const underWay = new UnderWay()
  const streamJobs = underWay.stream(streams.handle)
  server.addService(tolerant(WorkflowEngineService), {
    ...implementation({ ...parts, departures }, underWay),
    streamJobs,
  })
  server.addService(HealthService, { check: health.check, watch: health.watch })
  server.addService(ServerReflectionService, { serverReflectionInfo: reflection.handle })
  server.addService(ServerReflectionAlphaService, { serverReflectionInfo: reflection.handle })
  answerUnknownMethods(server, parts)
  return {
    async listen(port, host) {
      admission.addHost(host)
      for (const address of ownAddresses()) admission.addHost(address)
      const name = host.includes(":") ? `[${host}]` : host
      const bound = await bind(server, `${name}:${port}`, credentialsOf(options.tls))
      return `${options.tls ? "grpcs" : "grpc"}://${name}:${bound}`
    },
    close: () => {
      health.close()
      reflection.close()
      streams.close()
      return closeServer(server, underWay, options.timeouts.shutdownMs)
    },
  }
}

function implementation(parts: DoorParts & { readonly departures: Departures }, underWay: UnderWay) {
  const handlers = Object.entries(unaryRpcs).map(([stub, rpc]) => {
    const name = `${stub.charAt(0).toUpperCase()}${stub.slice(1)}`
    return [stub, underWay.unary(unaryOf({ ...parts, name, rpc: rpc as Rpc<unknown, unknown> }))]
  })
  return Object.fromEntries(handlers)
}

/** Probes and tools call by address; a page that has rebound a name sends the name. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))

/** Callers prove themselves by keys, and not by certificates. */
const credentialsOf = (tls: TlsFiles | undefined): ServerCredentials =>
  tls
    ? ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }], false)
    : ServerCredentials.createInsecure()

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : resolve(port)))
  })
}
