// How Kafka's client is loaded, told where the brokers are, and secured: the same for workers and for the engine, each with its own errors.
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import type { BaseOptions } from "@platformatic/kafka"
import type { KafkaClient } from "./connection.ts"
import { heardConnections } from "./heard-connections.ts"

export interface Connecting {
  readonly clientId: string
  /** `host:port`, those of IPv6 in brackets. */
  readonly brokers: readonly string[]
  /** Undefined: plaintext. */
  readonly secured: Secured | undefined
}

export interface Secured {
  readonly username: string
  readonly password: string
  readonly mechanism: "SCRAM-SHA-512" | "SCRAM-SHA-256"
  /** A file in PEM; else the authorities that Node trusts. */
  readonly caPath: string | undefined
  readonly serverName: string | undefined
}

/** What is wrong, in the words of the caller. */
export interface Refusals {
  broker(text: string): Error
  authority(path: string, what: string): Error
}

export function connectionOptions({ clientId, brokers, secured }: Connecting, refusals: Refusals): BaseOptions {
  const bootstrapBrokers = brokers.map((text) => brokerOf(text, refusals))
  const plain = { clientId, bootstrapBrokers, ...heardConnections() }
  return secured ? { ...plain, ...securityOf(secured, refusals) } : plain
}

/** The client itself takes a colon of IPv6 for that of the port. */
function brokerOf(text: string, refusals: Refusals): { host: string; port: number } {
  const colon = text.lastIndexOf(":")
  const [host, port] = [text.slice(0, colon).replace(/^\[|\]$/g, ""), Number(text.slice(colon + 1))]
  if (colon < 1 || host === "" || !(port >= 1 && port <= 65_535)) throw refusals.broker(text)
  return { host, port }
}

function securityOf(secured: Secured, refusals: Refusals): Pick<BaseOptions, "tls" | "tlsServerName" | "sasl"> {
  const { username, password, mechanism, caPath, serverName } = secured
  return {
    tls: caPath === undefined ? {} : { ca: readAuthority(caPath, refusals) },
    ...(serverName === undefined ? {} : { tlsServerName: serverName }),
    sasl: { mechanism, username, password },
  }
}

/** The client takes anything, and then trusts no broker. */
function readAuthority(path: string, refusals: Refusals): Buffer {
  let pem: Buffer
  try {
    pem = readFileSync(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error"
    throw refusals.authority(path, `the file cannot be read (${code})`)
  }
  try {
    new X509Certificate(pem)
  } catch {
    throw refusals.authority(path, "it is no certificate in PEM")
  }
  return pem
}

/** Each package imports its own: it is installed beside the one that needs it. */
export async function loadClient(
  importKafka: () => Promise<KafkaClient>,
  missing: (cause: unknown) => Error,
): Promise<KafkaClient> {
  try {
    return await importKafka()
  } catch (cause) {
    throw (cause as { readonly code?: unknown }).code === "ERR_MODULE_NOT_FOUND" ? missing(cause) : cause
  }
}
