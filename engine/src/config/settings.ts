// Every setting of the engine: name, unit, default, bounds and meaning. Nothing else in the engine reads the environment.

import { isNetwork, networksFault } from "@millrace/guard"
import { isTrustedScope, TRUSTED_SCOPES } from "../model/people/scopes.ts"
import { isHost, isOrigin, isPostgresUrl, isSchemaName, isWebUrl } from "./addresses.ts"
import { databaseSettings } from "./database-settings.ts"
import { eventSettings } from "./event-settings.ts"
import { gatewaySettings } from "./gateway/gateway-settings.ts"
import { guardSettings } from "./guard-settings.ts"
import { intakeSettings } from "./intake-settings.ts"
import { kafkaSettings } from "./kafka-settings.ts"
import { choice, duration, flag, integer, list, type Setting, shares, text } from "./kinds.ts"
import { peopleSettings } from "./people-settings.ts"

const port = (name: string, value: number, doc: string) =>
  integer({ name, default: value, min: 0, max: 65_535, unit: "port", doc })
const depth = (name: string, value: number, doc: string) =>
  integer({ name, default: value, min: 1, max: 1_000_000_000, unit: "jobs", doc })
const timeout = (name: string, value: string, doc: string) =>
  duration({ name, default: value, min: "100ms", max: "1h", doc })

export const settings = {
  restPort: port("WE_REST_PORT", 8080, "REST port; 0 takes a free one."),
  metricsPort: port(
    "WE_METRICS_PORT",
    9091,
    "Prometheus /metrics port; 0 takes a free one. `millrace work` opens it only where this is set.",
  ),
  grpcPort: port("WE_GRPC_PORT", 9090, "gRPC port; 0 takes a free one."),
  bindAddress: text<string>({
    name: "WE_BIND_ADDRESS",
    default: "127.0.0.1",
    allowed: "an IP address or a host name",
    accepts: isHost,
    doc: "Address to listen on. Beyond loopback it also needs WE_BEHIND_TLS_PROXY or WE_TLS_CERT_FILE, and WE_AUTH other than off.",
  }),
  postgresDsn: text<string | undefined>({
    name: "WE_POSTGRES_DSN",
    aliases: ["DATABASE_URL"],
    default: undefined,
    secret: true,
    allowed: "a URL such as postgres://user:password@host:5432/database",
    accepts: isPostgresUrl,
    doc: "Database (PostgreSQL 15 or later). `millrace dev` starts an embedded one when it is not set.",
  }),
  schema: text<string>({
    name: "WE_SCHEMA",
    default: "millrace",
    allowed: "a lower case name of letters, digits and _ (63 at most, not starting with pg_)",
    accepts: isSchemaName,
    doc: "Database schema that holds the engine's tables; one schema is one engine.",
  }),
  dispatchMode: choice({
    name: "WE_DISPATCH_MODE",
    default: "polling",
    values: ["polling", "kafka_outbox"],
    doc: "How jobs reach workers: polling (claims under a lease), or kafka_outbox (a topic of Kafka for each job type).",
  }),
  logLevel: choice({
    name: "WE_LOG_LEVEL",
    default: "info",
    values: ["debug", "info", "warn", "error"],
    doc: "Lowest level that is logged, as JSON on stdout.",
  }),
  auditLogEnabled: flag({ name: "WE_AUDIT_LOG_ENABLED", default: true, doc: "Keep an audit line for every change." }),
  ...databaseSettings,
  httpReadTimeoutMs: timeout("WE_HTTP_READ_TIMEOUT", "30s", "Time to receive one whole request."),
  httpWriteTimeoutMs: timeout("WE_HTTP_WRITE_TIMEOUT", "60s", "Time to send one whole answer."),
  httpIdleTimeoutMs: timeout("WE_HTTP_IDLE_TIMEOUT", "120s", "Time an unused connection stays open."),
  httpHandlerTimeoutMs: timeout(
    "WE_HTTP_HANDLER_TIMEOUT",
    "30s",
    "Time to work on one request; waiting polls are not counted.",
  ),
  shutdownTimeoutMs: duration({
    name: "WE_SHUTDOWN_TIMEOUT",
    default: "30s",
    min: "0s",
    max: "1h",
    doc: "Time to finish open requests after SIGTERM or Ctrl-C.",
  }),
  corsOrigins: list({
    name: "WE_CORS_ORIGINS",
    default: [],
    allowed: "origins such as https://app.example.com, without a path, separated by commas",
    accepts: isOrigin,
    doc: "Web origins that may call the API; empty is CORS off.",
  }),
  allowedHosts: list({
    name: "WE_ALLOWED_HOSTS",
    default: [],
    allowed: "host names without a port, separated by commas",
    accepts: isHost,
    doc: "Host names callers may use besides localhost and the bind address.",
  }),
  trustedNetworks: list({
    name: "WE_TRUSTED_NETWORKS",
    default: [],
    allowed: "networks such as 10.0.0.0/8 or fd00::/8, not all addresses, separated by commas",
    accepts: isNetwork,
    fault: networksFault,
    doc: "Networks whose callers need no key; they have the scopes of WE_TRUSTED_SCOPES.",
  }),
  trustedScopes: list({
    name: "WE_TRUSTED_SCOPES",
    default: TRUSTED_SCOPES,
    allowed: "scopes of API keys but admin, separated by commas",
    accepts: isTrustedScope,
    doc: "What callers from WE_TRUSTED_NETWORKS may do; never admin.",
  }),
  auth: choice({
    name: "WE_AUTH",
    default: "auto",
    values: ["auto", "required", "off"],
    doc: "auto: no key on loopback, a key anywhere else; required: always a key; off: never, on loopback only.",
  }),
  behindTlsProxy: flag({
    name: "WE_BEHIND_TLS_PROXY",
    default: false,
    doc: "Promise that a proxy in front speaks TLS; needed to listen beyond loopback without certificate files.",
  }),
  tlsCertFile: text<string | undefined>({
    name: "WE_TLS_CERT_FILE",
    default: undefined,
    allowed: "the path of a file",
    accepts: (path) => path.length > 0,
    doc: "Certificate chain in PEM: REST and gRPC then speak TLS themselves. Needs WE_TLS_KEY_FILE.",
  }),
  tlsKeyFile: text<string | undefined>({
    name: "WE_TLS_KEY_FILE",
    default: undefined,
    allowed: "the path of a file",
    accepts: (path) => path.length > 0,
    doc: "Private key in PEM that belongs to WE_TLS_CERT_FILE.",
  }),
  leaseDefaultMs: duration({
    name: "WE_LEASE_DEFAULT",
    default: "30s",
    min: "1s",
    max: "1h",
    doc: "Lease of a claimed job when the worker names none.",
  }),
  maxLostLeases: integer({
    name: "WE_MAX_LOST_LEASES",
    default: 3,
    min: 1,
    max: 100,
    unit: "leases",
    doc: "Leases a job may lose; one more and it is failed as a poison pill.",
  }),
  packFrom: integer({
    name: "WE_PACK_FROM",
    default: 8,
    min: 0,
    max: 500,
    unit: "jobs",
    doc: "A claim that takes at least so many plain jobs for one worker stores their leases in one row; 0 stores each in a row of its own.",
  }),
  retainMs: duration({
    name: "WE_RETAIN",
    default: "P30D",
    min: "1h",
    max: "P3650D",
    doc: "How long finished instances and their history are kept.",
  }),
  processedRetainMs: duration({
    name: "WE_PROCESSED_RETAIN",
    default: "P30D",
    min: "1h",
    max: "P3650D",
    doc: "How long consumers remember which events they have processed: longer than their topics keep messages.",
  }),
  weights: shares({
    name: "WE_QUEUE_WEIGHTS",
    names: ["critical", "high", "normal"],
    default: { critical: 60, high: 30, normal: 10 },
    doc: "Share of the claims of critical, high and normal jobs; PATCH /queues/weights overrides it at run time.",
  }),
  highWatermark: depth("WE_HIGH_WATERMARK", 10_000, "Standalone jobs of one priority at which POST /jobs is refused."),
  lowWatermark: depth("WE_LOW_WATERMARK", 2_000, "Jobs of one priority below which it takes new ones again."),
  totalHighWatermark: depth(
    "WE_TOTAL_HIGH_WATERMARK",
    30_000,
    "Standalone jobs of all priorities together at which POST /jobs is refused.",
  ),
  totalLowWatermark: depth(
    "WE_TOTAL_LOW_WATERMARK",
    6_000,
    "Jobs of all priorities together below which new ones are taken again.",
  ),
  backpressureRetryAfterMs: duration({
    name: "WE_BACKPRESSURE_RETRY_AFTER",
    default: "5s",
    min: "1s",
    max: "1h",
    doc: "Retry-After of a job that is refused because the queue is full, in whole seconds.",
  }),
  jobRetries: integer({
    name: "WE_JOB_RETRIES",
    default: 5,
    min: 0,
    max: 1_000,
    unit: "retries",
    doc: "Retries of a standalone job that names none.",
  }),
  jobTimeoutMs: duration({
    name: "WE_JOB_TIMEOUT",
    default: "30s",
    min: "100ms",
    max: "P7D",
    doc: "Time one attempt of a standalone job may run, unless the job or its type says otherwise.",
  }),
  maxWriteBytes: integer({
    name: "WE_MAX_WRITE_BYTES",
    default: 262_144,
    min: 1_024,
    max: 4_194_304,
    unit: "bytes",
    doc: "Most bytes of JSON in one written set: the variables of a start, a report, a signal or a user task, or a job's payload. A request may have four times as many, and at least 1 MiB.",
  }),
  maxVariablesBytes: integer({
    name: "WE_MAX_VARIABLES_BYTES",
    default: 2_097_152,
    min: 1_024,
    max: 67_108_864,
    unit: "bytes",
    doc: "Most bytes of JSON in all variables of one instance, or in the input and the recorded steps of one run.",
  }),
  alertQueuedSteps: integer({
    name: "WE_ALERT_QUEUED_STEPS",
    default: 50,
    min: 1,
    max: 1_000_000,
    unit: "steps",
    doc: "Queued steps of workflows above which the engine raises an alert, once, until they are down to 80 % of it.",
  }),
  alertWebhook: text<string | undefined>({
    name: "WE_ALERT_WEBHOOK",
    default: undefined,
    secret: true,
    allowed: "a URL such as https://hooks.example.com/millrace",
    accepts: isWebUrl,
    // The rest of it may be a token.
    show: (url) => `${new URL(url).origin}/****`,
    doc: "Where alerts are posted as JSON, besides the log.",
  }),
  dataDir: text<string>({
    name: "WE_DATA_DIR",
    default: "./.millrace",
    allowed: "a folder path",
    accepts: (value) => !value.includes("\0"),
    doc: "Folder of the embedded PostgreSQL (`millrace dev` without a DSN).",
  }),
  batchMax: integer({
    name: "WE_BATCH_MAX",
    default: 500,
    min: 1,
    max: 5_000,
    unit: "items",
    doc: "Most requests fused into one transaction.",
  }),
  ...eventSettings,
  ...kafkaSettings,
  ...intakeSettings,
  ...guardSettings,
  ...gatewaySettings,
  ...peopleSettings,
} as const

type ValueOf<S> = S extends Setting<infer T> ? T : never
export type SettingKey = keyof typeof settings
export type Settings = { readonly [K in SettingKey]: ValueOf<(typeof settings)[K]> }
export const settingKeys = Object.keys(settings) as SettingKey[]
export type Source = "env" | "yaml" | "default"

/** What the engine runs with: every setting by its readable name, where it came from, and what to warn about. */
export type Config = Settings & {
  readonly sources: Readonly<Record<SettingKey, Source>>
  /** The variable that each was read from, or would be: one may have two names. */
  readonly variables: Readonly<Record<SettingKey, string>>
  readonly warnings: readonly string[]
}
