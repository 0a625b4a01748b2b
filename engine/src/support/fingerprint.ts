// Which failures are alike: those whose reasons differ in nothing but the numbers and ids in them.
import { createHash } from "node:crypto"

export function fingerprint(reason: string): string {
  const shape = reason.replaceAll(/[0-9a-f]{8,}|\d+/gi, "#").slice(0, 500)
  return createHash("sha256").update(shape).digest("hex").slice(0, 16)
}
