// The gateway: finds the upstream of a request and forwards it there, over connections that are kept open.
import type { IncomingMessage } from "node:http"
import { type Dispatcher, Pool } from "undici"
import { UpstreamTable } from "./choose-upstream.ts"
import type { Exchange } from "./exchange.ts"
import { Forwarding, type Surroundings } from "./forwarding.ts"
import { type Framing, judgeFraming } from "./judge-framing.ts"
import { judgeTarget } from "./judge-target.ts"
import { OpenStreams } from "./open-streams.ts"
import { GatewayRefusal } from "./refusal.ts"
import type { Upstream } from "./upstream.ts"
import { targetOf } from "./upstream-target.ts"
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

export class Gateway {
  readonly #table: UpstreamTable
  readonly #mount: string
  readonly #ways = new Map<Upstream, { readonly around: Surroundings; readonly targetOf: (rest: string) => string }>()
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
      this.#ways.set(upstream, { around: { pool: poolOf(upstream), ...shared }, targetOf: targetOf(upstream) })
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
    new Forwarding(exchange, way.around).start()
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
