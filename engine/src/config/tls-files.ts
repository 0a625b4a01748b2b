// Reads the certificate and the key that the doors speak TLS with, and says at once where they are no good.
import { readFileSync } from "node:fs"
import { createSecureContext } from "node:tls"
import { ConfigError } from "./config-error.ts"
import { type Settings, settings } from "./settings.ts"

interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Undefined where none are set. */
export function readTlsFiles(config: Pick<Settings, "tlsCertFile" | "tlsKeyFile">): TlsFiles | undefined {
  if (config.tlsCertFile === undefined || config.tlsKeyFile === undefined) return undefined
  const files = { cert: read("tlsCertFile", config.tlsCertFile), key: read("tlsKeyFile", config.tlsKeyFile) }
  try {
    createSecureContext(files)
  } catch {
    const both = `${settings.tlsCertFile.name} and ${settings.tlsKeyFile.name}`
    throw new ConfigError([`${both} are not a certificate and its key in PEM: check that they belong together`])
  }
  return files
}

function read(key: "tlsCertFile" | "tlsKeyFile", path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException
    throw new ConfigError([`${settings[key].name}=${path}: the file cannot be read (${code})`])
  }
}
