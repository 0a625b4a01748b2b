// How large, deep and wide the body of a request may be, on every wire.

import { jsonLimits, variableLimits } from "../../support/json-scan.ts"
import type { JsonLimits } from "../../support/json-scanner.ts"
import type { Route } from "./route.ts"

type Shape = Pick<Route, "bodyAsText" | "bodyKeys" | "bodyOuterLevels">

/** A body that is not parsed is the payload itself. */
export function bodyLimits({ bodyAsText, bodyKeys = jsonLimits.keys, bodyOuterLevels = 0 }: Shape = {}): JsonLimits {
  return { ...(bodyAsText ? variableLimits : jsonLimits), keys: bodyKeys, outerLevels: bodyOuterLevels }
}
