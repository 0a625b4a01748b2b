// Known reasons why a start fails, each in one line that says what to do.
import { safeText } from "../support/redact.ts"

/** What was settled before the start, as far as it came to that. */
interface Settled {
  readonly restPort: number
  readonly metricsPort: number
  readonly grpcPort: number
  readonly variables: { readonly postgresDsn: string }
}

/** Any error the start can meet, with the fields node, the driver and our own classes put on it. */
interface Failure {
  readonly name?: string
  readonly message?: string
  readonly code?: unknown
  readonly syscall?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
  readonly problems?: readonly string[]
}

interface Named {
  readonly settled: Settled | undefined
  /** The variable that names the database. */
  readonly dsn: string
}

type Explain = (failure: Failure, named: Named) => string

// Told by name, not by class: the CLI must not load the database to explain why it cannot be loaded.
const OWN_ERRORS = new Set(["EmbeddedError", "KafkaError", "MigrationError"])

const at = ({ address, port }: Failure): string => (address ? ` at ${address}${port ? `:${port}` : ""}` : "")

const byCode: Readonly<Record<string, Explain>> = {
  EADDRINUSE: (f, { settled }) =>
    `port ${f.port ?? ""}${f.address ? ` on ${f.address}` : ""} is already in use: stop the program that holds it, or set ${portName(f, settled)} to another port`,
  EADDRNOTAVAIL: (f) => `${f.address ?? "the bind address"} is not an address of this machine: correct WE_BIND_ADDRESS`,
  ECONNREFUSED: (f, { dsn }) => `nothing answers${at(f)}: start PostgreSQL there or correct ${dsn}`,
  ENOTFOUND: (f, { dsn }) => `the database host ${f.hostname ?? ""} is not known: correct the name in ${dsn}`,
  EAI_AGAIN: (f, { dsn }) =>
    `the database host ${f.hostname ?? ""} cannot be looked up now: check the network, or the name in ${dsn}`,
  ETIMEDOUT: (f, { dsn }) => `the database does not answer${at(f)}: check the network, or the host and port in ${dsn}`,
  EHOSTUNREACH: (f, { dsn }) => `the database host cannot be reached${at(f)}: check the network, or the host in ${dsn}`,
  ECONNRESET: (_, { dsn }) =>
    `the database closed the connection: check that ${dsn} names a PostgreSQL server, and its log`,
  "28P01": (_, { dsn }) => `the database refused the password: correct the user or password in ${dsn}`,
  "28000": (f, { dsn }) =>
    `the database refused the user (${f.message}): correct the user in ${dsn}, or its pg_hba.conf`,
  "3D000": (f, { dsn }) => `${f.message ?? "the database does not exist"}: create it, or correct the name in ${dsn}`,
  "42501": (f, { dsn }) => `the database user lacks a right (${f.message}): grant it, or use another user in ${dsn}`,
  "53300": () => "the database has no connection left: raise its max_connections, or lower DB_MAX_CONNS",
  "57P03": () => "the database is still starting or stopping: try again in a moment",
}

const byMessage: readonly [RegExp, (dsn: string) => string][] = [
  [
    /connection timeout|timeout expired|timeout exceeded when trying to connect/i,
    (dsn) => `the database does not answer in time: check the host and port in ${dsn}`,
  ],
  [
    /Connection terminated unexpectedly/i,
    (dsn) =>
      `the program at the address in ${dsn} closed the connection: is it PostgreSQL, and does it take this client?`,
  ],
  [/does not support SSL/i, (dsn) => `the database speaks no TLS: remove sslmode from ${dsn}, or turn TLS on there`],
  [
    /self.signed|unable to verify the first certificate/i,
    (dsn) => `the database's TLS certificate is not trusted: give its CA with sslrootcert in ${dsn}`,
  ],
  [/password must be a string/i, (dsn) => `the database asks for a password: add one to ${dsn}`],
]

/** Undefined for an error that is none of these: it is shown with its stack. */
export function explainStartError(error: unknown, settled?: Settled): string | undefined {
  const named = { settled, dsn: settled?.variables.postgresDsn ?? "WE_POSTGRES_DSN" }
  for (const failure of withCauses(error)) {
    const text = explainOne(failure, named)
    if (text) return text
  }
  return undefined
}

function explainOne(failure: Failure, named: Named): string | undefined {
  if (failure.name === "ConfigError") return failure.problems?.map(oneLine).join("\n")
  if (isOwn(failure)) return oneLine(failure.message ?? "")
  const code = String(failure.code ?? "")
  if (code === "EACCES" && failure.syscall === "listen") {
    return `port ${failure.port} needs rights this user does not have: set ${portName(failure, named.settled)} to a port above 1023`
  }
  const explain = Object.hasOwn(byCode, code) ? byCode[code] : undefined
  if (explain) return oneLine(explain(failure, named))
  return byMessage.find(([pattern]) => pattern.test(failure.message ?? ""))?.[1](named.dsn)
}

/** A refusal of the catalogue says it all, unless it only wraps what has failed. */
const isOwn = ({ name = "", cause }: Failure): boolean =>
  OWN_ERRORS.has(name) || (name === "EngineError" && cause === undefined)

/** The error, what it wraps, and what those wrap: the most telling may lie inside. */
function withCauses(error: unknown, depth = 0): Failure[] {
  if (typeof error !== "object" || error === null || depth > 5) return []
  const failure = error as Failure
  const inner = [...(failure.errors ?? []), failure.cause].flatMap((cause) => withCauses(cause, depth + 1))
  // node's aggregate of several addresses has a code and no address: its parts say more.
  return failure.errors ? [...inner, failure] : [failure, ...inner]
}

function portName({ port }: Failure, settled: Settled | undefined): string {
  if (settled && port === settled.restPort) return "WE_REST_PORT"
  if (settled && port === settled.metricsPort) return "WE_METRICS_PORT"
  if (settled && port === settled.grpcPort) return "WE_GRPC_PORT"
  return "WE_REST_PORT, WE_GRPC_PORT or WE_METRICS_PORT"
}

const oneLine = (text: string): string => safeText(text.replace(/\s+/g, " ").trim())
