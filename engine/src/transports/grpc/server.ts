// The door over gRPC: every RPC of the contract, health and reflection, on one port.
import { networkInterfaces } from "node:os"
import {
  HealthService,
  ServerReflectionAlphaService,
  ServerReflectionService,
  WorkflowEngineService,
} from "@millrace/sdk/proto"
import { databaseWatchOf } from "../../operations/kernel/database-watch.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { Admission } from "../calls/admission.ts"
import type { RestOptions } from "../calls/options.ts"
import { closeServer } from "./close-server.ts"
import { healthOf } from "./health.ts"
import { type Handle, Listener } from "./http2/listener.ts"
import type { Method } from "./read-message.ts"
import { reflectionOf } from "./reflection.ts"
import type { Rpc } from "./rpc.ts"
import { definitionRpcs } from "./rpcs/definition-rpcs.ts"
import { instanceRpcs } from "./rpcs/instance-rpcs.ts"
import { jobRpcs } from "./rpcs/job-rpcs.ts"
import { streamJobsOf } from "./stream/stream-jobs.ts"
import { type UnaryParts, unaryOf } from "./unary.ts"
import { UnderWay } from "./under-way.ts"
import { unknownMethods } from "./unknown-methods.ts"

export interface GrpcServer {
  /** Resolves with the address, once connections are taken. */
  listen(port: number, host: string): Promise<string>
  /** Takes no new calls, lets those under way finish, and cuts off what is not done in time. */
  close(): Promise<void>
}

export const unaryRpcs = { ...definitionRpcs, ...instanceRpcs, ...jobRpcs }

export function createGrpcServer(kernel: Kernel, options: RestOptions): GrpcServer {
  const admission = new Admission(options.allowedHosts, [])
  const door = { kernel, options, admission, watch: databaseWatchOf(kernel) }
  const parts = { ...door, underWay: new UnderWay() }
  const health = healthOf(options)
  const reflection = reflectionOf(parts)
  const streams = streamJobsOf(parts)
  const byPath = new Map<string, Handle>([
    ...unaryHandlers(parts),
    [WorkflowEngineService.streamJobs.path, (call) => parts.underWay.work(() => streams.handle(call))],
    [HealthService.check.path, health.check],
    [HealthService.watch.path, health.watch],
    [ServerReflectionService.serverReflectionInfo.path, reflection.handle],
    [ServerReflectionAlphaService.serverReflectionInfo.path, reflection.handle],
  ])
  const onFault = (err: unknown) => options.log.error({ err }, "a fault of ours")
  const listener = new Listener({ byPath, unknown: unknownMethods(parts), onFault }, options)
  return {
    async listen(port, host) {
      admission.addHost(host)
      for (const address of ownAddresses()) admission.addHost(address)
      const name = host.includes(":") ? `[${host}]` : host
      return `${options.tls ? "grpcs" : "grpc"}://${name}:${await listener.listen(port, host)}`
    },
    close: () => {
      health.close()
      reflection.close()
      streams.close()
      return closeServer(listener, parts.underWay, options.timeouts.shutdownMs)
    },
  }
}

const unaryHandlers = (parts: Omit<UnaryParts, "name" | "method" | "rpc">): [string, Handle][] =>
  Object.entries(unaryRpcs).map(([stub, rpc]) => {
    const name = `${stub.charAt(0).toUpperCase()}${stub.slice(1)}`
    const method = WorkflowEngineService[stub as keyof typeof unaryRpcs] as Method<unknown, unknown>
    return [method.path, unaryOf({ ...parts, name, method, rpc: rpc as Rpc<unknown, unknown> })]
  })

/** Probes and tools call by address; a page that has rebound a name sends the name. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
