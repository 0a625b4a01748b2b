// The one body parser: raw bytes, checked to be UTF-8, scanned and, but for routes that only store it, parsed as JSON.
import { isUtf8 } from "node:buffer"
import { badRequest } from "../../../support/errors.ts"
import { checkJson, parseJson } from "../../../support/json-scan.ts"
import { bodyLimits } from "../../calls/body-limits.ts"
import type { Asked } from "./exchange.ts"

type Done = (error: Error | null, body?: unknown) => void

/** A body of no bytes is no body. */
export function parseBody({ matched }: Pick<Asked, "matched">, bytes: string | Buffer, done: Done): void {
  if (bytes.length === 0) return done(null, undefined)
  // Decoding would quietly replace broken bytes by U+FFFD.
  if (typeof bytes !== "string" && !isUtf8(bytes)) return done(badRequest("the body is not UTF-8"))
  let body: unknown
  try {
    const text = bytes.toString()
    const limits = bodyLimits(matched ?? undefined)
    body = matched?.bodyAsText ? checkJson(text, limits) : parseJson(text, limits)
  } catch (error) {
    return done(error as Error)
  }
  done(null, body)
}
