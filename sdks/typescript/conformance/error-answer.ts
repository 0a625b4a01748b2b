// An error as the harness reads it: a code of the catalogue, or `client` for what never was the engine's.
import { MillraceError, TransportError } from "@millrace/sdk"

export interface ErrorAnswer {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

export function errorAnswer(error: unknown): ErrorAnswer {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof MillraceError) return { code: error.code, message, retryable: error.retryable }
  if (error instanceof TransportError) return { code: "unavailable", message, retryable: error.retryable }
  return { code: "client", message, retryable: false }
}
