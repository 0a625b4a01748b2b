// Routes of API keys: list, make, revoke. A key is in the answer that makes it, and nowhere else.
import type { wire } from "@millrace/sdk"
import { endKey, listKeys, makeKey } from "../../../operations/people/manage-keys.ts"
import { answerTo, json, nothing, ok } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { operatorOf } from "../../calls/operator.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

const PATH = "/v1/api-keys"
const MOST_SCOPES = 100

export const apiKeyRoutes: readonly Route[] = [
  { method: "GET", path: PATH, permission: "admin", handle: list },
  { method: "POST", path: PATH, permission: "admin", handle: create },
  { method: "DELETE", path: `${PATH}/{keyId}`, permission: "admin", handle: revoke },
]

async function list({ kernel }: Call): Promise<Answer> {
  return ok<wire.ApiKeyList>({ items: await listKeys(kernel) })
}

async function create(call: Call): Promise<Answer> {
  const asked = decode(call, ({ body }) => ({
    name: body.text("name", 100),
    scopes: body.words("scopes", { min: 1, max: MOST_SCOPES }),
    expiresAt: body.moment("expiresAt"),
    limit: readLimit(body.within("limit")),
  }))
  const done = await makeKey(call.kernel, operatorOf(call), asked)
  return answerTo(done, ({ view, key }) => json<wire.NewApiKey>(201, key === undefined ? view : { ...view, key }))
}

function readLimit(fields: Fields | undefined) {
  if (!fields) return undefined
  const requests = fields.wholeNumber("requests", { min: 1, max: 1_000_000 })
  const windowSeconds = fields.wholeNumber("windowSeconds", { min: 1, max: 86_400 })
  if (requests === undefined) fields.require("requests", "send how many calls may be made in a window")
  if (windowSeconds === undefined) fields.require("windowSeconds", "send the length of the window")
  return { requests: requests ?? 1, windowMs: (windowSeconds ?? 1) * 1_000 }
}

async function revoke(call: Call): Promise<Answer> {
  return answerTo(await endKey(call.kernel, operatorOf(call), call.params.keyId ?? ""), nothing)
}
