// The server: the core behind its doors. Started by the CLI, stopped by draining.

import type { Store } from "@millrace/guard"
import type { MetricObjectWithValues, MetricValue } from "prom-client"
import type { Config } from "./config.ts"
import { type Core, openCore } from "./core.ts"
import { openGateway } from "./open-gateway.ts"
import { openGuard } from "./open-guard.ts"
import { wakeupsOf } from "./operations/jobs/claim/wakeups.ts"
import type { LoopName } from "./operations/kernel/loops.ts"
import { Sessions } from "./operations/people/sessions.ts"
import { restOptions } from "./rest-options.ts"
import { startSample } from "./sample.ts"
import { startDispatch } from "./start-dispatch.ts"
import { setHighWatermark } from "./store/events/outbox.ts"
import type { Logger } from "./support/log.ts"
import { createGrpcServer } from "./transports/grpc/server.ts"
import { createGatewayServer, createMetricsServer, createRestServer } from "./transports/rest/server.ts"

export interface Engine {
  /** Empty when the process does not answer REST calls. */
  readonly restUrl: string
  readonly metricsUrl: string
  /** Empty when the process does not answer RPCs. */
  readonly grpcUrl: string
  stop(): Promise<void>
}

type MetricsOfOne = readonly MetricObjectWithValues<MetricValue<string>>[]

/** For a process that shares its ports with others: `millrace start --processes`. */
export interface Membership {
  /** From 1; a label of its metrics. */
  readonly number: number
  /** The counters of the guard, for all of them. */
  readonly guardStore: Store
  /** The metrics of all processes, in the format of Prometheus. */
  readonly metricsOfAll: () => Promise<string>
  /** `read` tells the metrics of this process. */
  readonly shareMetrics: (read: () => Promise<MetricsOfOne>) => void
}

export interface EngineOptions {
  /** Bring a definition and its worker along, for a first try. */
  readonly sample?: boolean
  /** The singleton loops it may lead; all. */
  readonly loops?: readonly LoopName[]
  /** Whether it answers REST calls and RPCs; a process that only leads loops need not. Metrics and health have a port of their own. */
  readonly rest?: boolean
  /** Whether it sends events to the sinks of the settings. */
  readonly relay?: boolean
  /** Run by a developer: `GET /debug/config` shows the settings, where only this machine can ask. */
  readonly development?: boolean
  /** A gateway and nothing else: no API of workflows and jobs, no dashboard, no gRPC. */
  readonly gatewayOnly?: boolean
  readonly membership?: Membership | undefined
}

type Stop = () => Promise<void>

export async function startEngine(config: Config, log: Logger, options: EngineOptions = {}): Promise<Engine> {
  const {
    sample = false,
    loops,
    rest = true,
    relay = true,
    gatewayOnly = false,
    development = false,
    membership,
  } = options
  const core = await openCore(config, log, loops ? { loops } : {})
  if (membership) share(core, membership)
  // Stopped in reverse: the doors close while the core can still answer what is under way.
  const stops: Stop[] = [() => core.stop()]
  let draining = false
  const stop = async () => {
    draining = true
    wakeupsOf(core.kernel).close()
    for (const one of stops.splice(0).reverse()) await one()
  }
  try {
    await startDispatch(core.kernel, config, relay)
    const doors = { config, log, core, stops, rest, gatewayOnly, development, membership, draining: () => draining }
    const urls = await openDoors(doors)
    await settleOutbox(config, core)
    if (relay) await relayEvents(config, core)
    if (rest && !gatewayOnly) await readTopics(config, core, stops)
    if (sample) stops.push(await startSample(core.kernel))
    return { ...urls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function share({ kernel: { metrics } }: Core, { number, shareMetrics }: Membership): void {
  metrics.registry.setDefaultLabels({ process: String(number) })
  shareMetrics(() => metrics.registry.getMetricsAsJSON())
}

/** Every process and the SQL function go by what the database has. */
async function settleOutbox(config: Config, { kernel }: Core): Promise<void> {
  if (config.sources.outboxHighWatermark === "default") return
  await setHighWatermark(kernel.db, config.outboxHighWatermark)
}

async function relayEvents(config: Config, { kernel }: Core): Promise<void> {
  if (config.eventSinks.length === 0) return
  const { addEventSinks } = await import("./event-sinks.ts")
  await addEventSinks(config, kernel)
}

/** A door like the others: what comes by it goes through the same operations. */
async function readTopics(config: Config, { kernel }: Core, stops: Stop[]): Promise<void> {
  if (config.intakeDefinitions.length === 0 && config.wakeupTopic === undefined) return
  const { readFromKafka } = await import("./kafka-intake.ts")
  stops.push(readFromKafka(config, kernel))
}

interface Doors {
  readonly config: Config
  readonly log: Logger
  readonly core: Core
  readonly stops: Stop[]
  readonly rest: boolean
  readonly gatewayOnly: boolean
  readonly development: boolean
  readonly membership: Membership | undefined
  readonly draining: () => boolean
}

async function openDoors(doors: Doors) {
  const { config, core, stops, rest, gatewayOnly, membership } = doors
  const sessions = new Sessions(core.kernel.db)
  const guard = await openGuard(config, core.kernel, membership ? { store: membership.guardStore } : {})
  if (guard) stops.push(() => guard.stop())
  const { metricsOfAll } = membership ?? {}
  const options = restOptions({ ...doors, sessions, guarding: guard?.guarding, metricsOfAll })
  const forwarding = rest ? openGateway(config, !gatewayOnly) : undefined
  if (forwarding) stops.push(() => forwarding.gateway.close())
  const create = gatewayOnly ? createGatewayServer : createRestServer
  const api = rest ? await create(core.kernel, { ...options, forwarding }) : undefined
  if (api) stops.push(() => api.close())
  const rpc = rest && !gatewayOnly ? createGrpcServer(core.kernel, options) : undefined
  if (rpc) stops.push(() => rpc.close())
  const metrics = await createMetricsServer(core.kernel, options)
  stops.push(() => metrics.close())
  return {
    restUrl: (await api?.listen(config.restPort, config.bindAddress)) ?? "",
    grpcUrl: (await rpc?.listen(config.grpcPort, config.bindAddress)) ?? "",
    metricsUrl: await metrics.listen(config.metricsPort, config.bindAddress),
  }
}
