// The options of the REST server.
import type { Principal } from "../../operations/people/api-keys.ts"
import type { Sessions } from "../../operations/people/sessions.ts"
import type { Logger } from "../../support/log.ts"
import type { FindTrusted } from "./trusted-networks.ts"

export interface RestTimeouts {
  /** To receive one whole request. */
  readonly readMs: number
  /** To send one whole answer. */
  readonly writeMs: number
  /** How long an unused connection stays open. */
  readonly idleMs: number
  /** To work on one request; the wait of a long poll comes on top. */
  readonly handlerMs: number
  /** To finish what is under way when the server closes. */
  readonly shutdownMs: number
}

/** In PEM. */
export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
}

export interface RestOptions {
  /** `auto`: no key needed on loopback, a key anywhere else. */
  readonly auth: "auto" | "required" | "off"
  readonly bindIsLoopback: boolean
  /** Host names callers may use besides localhost and the address that is listened on. */
  readonly allowedHosts: readonly string[]
  /** Web origins that may call; empty is CORS off. */
  readonly corsOrigins: readonly string[]
  readonly timeouts: RestTimeouts
  /** Where the server ends TLS itself. */
  readonly tls?: TlsFiles | undefined
  readonly log: Logger
  /** True once the engine has been told to stop. */
  readonly draining: () => boolean
  /** Whether work can be taken: the database answers. */
  readonly ready: () => boolean | Promise<boolean>
  /** Callers that are known by the network they call from; left out where none is trusted. */
  readonly findTrusted?: FindTrusted | undefined
  readonly findKey: (key: string) => Promise<Principal | undefined>
  readonly sessions: Pick<Sessions, "find" | "use" | "start" | "end">
  /** Serve `/metrics` on the REST port too. */
  readonly metricsOnRest?: boolean
  /** Where the files of the dashboard are, if not where the build puts them. */
  readonly uiFolder?: URL
}
