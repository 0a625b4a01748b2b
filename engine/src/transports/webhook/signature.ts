// The signature of a posted event, as Standard Webhooks has it: HMAC-SHA-256 over id, time and body.
import { createHmac } from "node:crypto"

export interface Signed {
  readonly id: string
  /** Epoch seconds of the delivery, not of the event: a receiver refuses what is old. */
  readonly timestamp: number
  readonly body: string
}

/** A secret that begins with `whsec_` is base64 behind it; any other is taken as it is. */
export function signatureOf({ id, timestamp, body }: Signed, secret: string): string {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : Buffer.from(secret)
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`
}

const PREFIX = "whsec_"
