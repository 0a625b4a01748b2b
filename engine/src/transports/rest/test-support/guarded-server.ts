// A server with the guard in front, REST and gRPC, on a real engine: its clock is moved by the test, and callers have any address they
// name, by way of a trusted proxy.
import type { RunningGuard } from "@millrace/guard"
import { loadConfig } from "../../../config.ts"
import { type OpenGuard, openGuard } from "../../../open-guard.ts"
import { openPeople } from "../../../open-people.ts"
import { createApiKey, KeyRing, type NewApiKey } from "../../../operations/people/api-keys.ts"
import { Sessions } from "../../../operations/people/sessions.ts"
import { type GuardClock, guardClock } from "../../../test-support/guard-clock.ts"
import { openTestCore } from "../../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { addressBehind } from "../../calls/guard/client-address.ts"
import { watchWith } from "../../calls/guard/credential-watch.ts"
import { trustNetworks } from "../../calls/trusted-networks.ts"
import { createTestGrpc, type TestGrpc } from "../../grpc/test-support/test-grpc.ts"
import type { Reply } from "./reply.ts"
import type { CallOptions } from "./test-server.ts"

export interface GuardedServer {
  readonly engine: TestEngine
  readonly grpc: TestGrpc
  readonly guard: RunningGuard
  readonly clock: GuardClock
  readonly lines: Record<string, unknown>[]
  /** From an address, with a key where one is given. */
  call(route: string, from: Caller, options?: CallOptions): Promise<Reply>
  key(asked?: Partial<NewApiKey>): Promise<string>
  close(): Promise<void>
}

export interface Caller {
  readonly ip: string
  readonly key?: string
  readonly agent?: string
}

interface Given {
  readonly env?: Record<string, string>
  readonly engine?: TestEngine
}

export async function createGuardedServer({ env = {}, engine: given }: Given = {}): Promise<GuardedServer> {
  const engine = given ?? (await createTestEngine())
  const { kernel } = engine
  const config = loadConfig({ env: { WE_GUARD: "on", WE_TRUSTED_PROXIES: "127.0.0.1", ...env } })
  const clock = guardClock()
  const sessions = new Sessions(kernel.db)
  const keys = new KeyRing(kernel.db)
  const { guarding, stop } = (await openGuard(config, kernel, { clock })) as OpenGuard
  const grpc = await createTestGrpc({
    engine,
    auth: "required",
    findKey: (key) => keys.find(key),
    sessions,
    people: openPeople(config, kernel),
    findTrusted: trustNetworks(config.trustedNetworks, config.trustedScopes),
    findAddress: addressBehind(config.trustedProxies, config.trustedProxyHeader),
    guarding,
    credentialWatch: watchWith(guarding),
    metricsOnRest: true,
  })
  return {
    engine,
    grpc,
    guard: guarding.guard,
    clock,
    lines: grpc.rest.lines,
    call: (route, from, options = {}) =>
      grpc.rest.call(route, { ...options, headers: { ...headersOf(from), ...options.headers } }),
    key: async (asked = {}) => (await createApiKey(kernel.db, { name: "k", scopes: ["admin"], ...asked })).key,
    async close() {
      await grpc.close()
      await stop()
      if (!given) await engine.close()
    },
  }
}

/** One more process on the database of an engine: it has a guard, metrics and memories of its own. */
export async function createGuardedServerBeside(
  engine: TestEngine,
  env: Record<string, string> = {},
): Promise<GuardedServer> {
  const core = await openTestCore(engine.dsn)
  const beside = { ...engine, core, kernel: core.kernel, db: core.kernel.db, close: () => core.stop() }
  const opened = await createGuardedServer({ engine: beside, env })
  return { ...opened, close: () => opened.close().then(() => core.stop()) }
}

/** A call that the guard may hold is let go by moving the clock, and by nothing else: a loop of the guard may wait for the clock too. */
export async function settledAt<T>({ clock, guard }: GuardedServer, call: Promise<T>): Promise<T> {
  let isDone = false
  void call.catch(() => {}).finally(() => (isDone = true))
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    if (guard.counts.held > 0) clock.advance(2_000)
  }
  return call
}

export const headersOf = ({ ip, key, agent }: Caller): Record<string, string> => ({
  "x-forwarded-for": ip,
  ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  ...(agent === undefined ? {} : { "user-agent": agent }),
})
