// The options of the REST server.
import type { Principal } from "../../operations/people/api-keys.ts"
import type { Sessions } from "../../operations/people/sessions.ts"
import type { Logger } from "../../support/log.ts"
import type { ForwardingOptions } from "./forwarding-options.ts"
import type { FindAddress } from "./guard/client-address.ts"
import type { CredentialWatch } from "./guard/credential-watch.ts"
import type { Guarding } from "./guard/guard-verdicts.ts"
import type { People } from "./people.ts"
import type { FindTrusted } from "./trusted-networks.ts"

export interface RestTimeouts {
  /** The limit for receiving one whole request. */
  readonly readMs: number
  /** The limit for sending one whole answer. */
  readonly writeMs: number
  /** How long an unused connection stays open. */
  readonly idleMs: number
  /** To work on one request; the wait of a long poll comes on top. */
  readonly handlerMs: number
  /** To finish what is under way when the server closes. */
  readonly shutdownMs: number
}

/** Certificate and key in PEM. */
export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
}

export interface ShownSetting {
  readonly name: string
  readonly value: string
  readonly source: "default" | "yaml" | "env"
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
  /** Set where the server ends TLS itself. */
  readonly tls?: TlsFiles | undefined
  readonly log: Logger
  /** True once the engine has been told to stop. */
  readonly draining: () => boolean
  /** Whether work can be taken: the database answers. */
  readonly ready: () => boolean | Promise<boolean>
  /** Callers that are known by the network they call from; left out where none is trusted. */
  readonly findTrusted?: FindTrusted | undefined
  /** The address of a caller; that of its connection where it is left out. */
  readonly findAddress?: FindAddress | undefined
  /** Left out where the guard is off: nothing of it is to be seen then. */
  readonly guarding?: Guarding | undefined
  /** `digest` is that of the key, where it has been worked out already. Not a promise where the answer is remembered. */
  readonly findKey: (key: string, digest?: string) => Principal | undefined | Promise<Principal | undefined>
  /** Users and their tokens; left out where there are none. */
  readonly people?: People | undefined
  /** Asked before a credential is looked at, and told what came of it; left out where nothing limits them. */
  readonly credentialWatch?: CredentialWatch | undefined
  readonly sessions: Pick<Sessions, "find" | "use" | "start" | "end" | "isOurs">
  /** What is forwarded to upstreams; left out where none is configured. */
  readonly forwarding?: ForwardingOptions | undefined
  /** What the process was started with, without secrets; in development only, and left out anywhere else. */
  readonly shownSettings?: (() => readonly ShownSetting[]) | undefined
  /** The text of `/metrics`, where this process speaks for others too. */
  readonly metricsOfAll?: (() => Promise<string>) | undefined
  /** Serve `/metrics` on the REST port too. */
  readonly metricsOnRest?: boolean
  /** Where the files of the dashboard are, if not where the build puts them. */
  readonly uiFolder?: URL
}
