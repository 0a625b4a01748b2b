// How large, deep and wide the body of a request may be, on every wire.

import { EngineError } from "../../support/errors.ts"
import { jsonLimits, variableLimits } from "../../support/json-scan.ts"
import type { JsonLimits } from "../../support/json-scanner.ts"
import type { Route } from "./route.ts"

const MIB = 1_048_576

/** Bytes of one request: a write of the largest size, with what is around it and its escapes, and room for a definition. */
export const maxBodyBytes = ({ maxWriteBytes }: { readonly maxWriteBytes: number }): number =>
  Math.max(MIB, 4 * maxWriteBytes)

export const bodyTooLarge = (settings: { readonly maxWriteBytes: number }): EngineError =>
  new EngineError(
    "payload-too-large",
    `the body is larger than ${maxBodyBytes(settings)} bytes: four times WE_MAX_WRITE_BYTES, at least 1 MiB`,
  )

type Shape = Pick<Route, "bodyAsText" | "bodyKeys" | "bodyOuterLevels">

/** A body that is not parsed is the payload itself. */
export function bodyLimits({ bodyAsText, bodyKeys = jsonLimits.keys, bodyOuterLevels = 0 }: Shape = {}): JsonLimits {
  return { ...(bodyAsText ? variableLimits : jsonLimits), keys: bodyKeys, outerLevels: bodyOuterLevels }
}
