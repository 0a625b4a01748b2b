// The gateway: finds the upstream of a request and forwards it there, over connections that are kept open.
import type { IncomingMessage } from "node:http"
import { type Dispatcher, Pool } from "undici"
import { subjectOf } from "../keys.ts"
import { addressKey } from "../rules/ip-address.ts"
import { UpstreamTable } from "./choose-upstream.ts"
import type { Exchange } from "./exchange.ts"
import { Forwarding, type Surroundings } from "./forwarding.ts"
import { type Framing, judgeFraming } from "./judge-framing.ts"
import { judgeTarget } from "./judge-target.ts"
import { OpenStreams } from "./open-streams.ts"
import { GatewayRefusal } from "./refusal.ts"
import type { Upstream } from "./upstream.ts"
import { targetOf } from "./upstream-target.ts"
import { WebsocketPlaces } from "./websocket-places.ts"
import { Websockets } from "./websockets.ts"

export interface GatewayOptions {
  readonly upstreams: readonly Upstream[]
  /** Where it is mounted, `/gateway`: not sent to an upstream. Empty for everything. */
  readonly mount: string
  /** Names of the guard's own cookies. */
  readonly cookies: readonly string[]
}

/** Where a request goes, if it goes anywhere. */
export interface Way extends Framing {
  readonly upstream: Upstream
  /** Path and query for the upstream. */
  readonly target: string
}

/** An upstream at work. */
interface Served {
  readonly around: Surroundings
  readonly targetOf: (rest: string) => string
  readonly places: WebsocketPlaces
}

export class Gateway {
  readonly #table: UpstreamTable
  readonly #mount: string
  readonly #ways = new Map<Upstream, Served>()
  readonly #streams = new OpenStreams()

  constructor({ upstreams, mount, cookies }: GatewayOptions) {
    this.#table = new UpstreamTable(upstreams)
    this.#mount = mount
    const websockets = new Websockets(this.#streams)
    const shared = {
      cookies,
      join: websockets.join.bind(websockets),
      keep: this.#streams.add.bind(this.#streams),
    }
    for (const upstream of upstreams)
      this.#ways.set(upstream, {
        around: { pool: poolOf(upstream), ...shared },
        targetOf: targetOf(upstream),
        places: new WebsocketPlaces(upstream.websockets),
      })
  }

  /** Throws a refusal for what must not be forwarded. Nothing has been read of the body. */
  route(request: IncomingMessage): Way {
    const { hasBody, isUpgrade } = judgeFraming(request)
    const { path, query } = judgeTarget(request.url ?? "")
    const rest = afterMount(path, this.#mount)
    const upstream = this.#table.find(rest)
    const way = upstream && this.#ways.get(upstream)
    if (!way) throw new GatewayRefusal("not-found", "no upstream is configured for this path")
    return { hasBody, isUpgrade, upstream, target: way.targetOf(rest) + query }
  }

  forward(exchange: Exchange): void {
    const way = this.#ways.get(exchange.upstream)
    if (!way) throw new Error("an exchange with an upstream that this gateway does not have")
    const refusal = placeFor(exchange, way.places)
    if (refusal) exchange.refuse(refusal)
    else new Forwarding(exchange, way.around).start()
  }

  /** WebSockets that are open or asked for, over all upstreams. */
  get websockets(): number {
    return [...this.#ways.values()].reduce((sum, { places }) => sum + places.taken, 0)
  }

  get openStreams(): number {
    return this.#streams.size
  }

  /** Before the server waits for what is under way: WebSockets and streams of events would never end by themselves. */
  endStreams(): void {
    this.#streams.end()
  }

  async close(): Promise<void> {
    this.endStreams()
    await Promise.all([...this.#ways.values()].map(({ around }) => around.pool.destroy()))
  }
}

/** A caller that has gone needs no place. Callers without a credential are distinguished by address, for IPv6 by the /64. */
function placeFor({ upgrading, response, sender }: Exchange, places: WebsocketPlaces): GatewayRefusal | undefined {
  if (!upgrading || response.destroyed) return undefined
  return places.take(
    subjectOf({ client: sender.client, address: addressKey(sender.address) ?? sender.address }),
    response,
  )
}

/**
 * As many connections as there are requests under way, which are no more than the connections of callers: a bound of its own would
 * let a few streams of events keep everyone else waiting.
 */
const poolOf = ({ to, timeouts }: Upstream): Dispatcher =>
  new Pool(new URL(to).origin, { connect: { timeout: timeouts.connectMs }, pipelining: 1 })

/** Routers decode what they compare, so a path may reach us under another spelling of the mount: that one is refused. */
function afterMount(path: string, mount: string): string {
  const rest = path.slice(mount.length)
  if (!path.startsWith(mount) || (rest !== "" && !rest.startsWith("/")))
    throw new GatewayRefusal("not-found", `the path must begin with ${mount}/`)
  return rest === "" ? "/" : rest
}
