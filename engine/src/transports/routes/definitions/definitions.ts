// Routes of definitions: upload, list, read, and where their instances stand.
import type { wire } from "@millrace/sdk"
import { getDefinitionActivity } from "../../../operations/definitions/definition-activity.ts"
import {
  getDefinition,
  listDefinitions,
  listDefinitionVersions,
} from "../../../operations/definitions/read-definitions.ts"
import { uploadDefinition } from "../../../operations/definitions/upload-definition.ts"
import { badRequest, notFound } from "../../../support/errors.ts"
import { answerTo, created, json } from "../../calls/answers.ts"
import { DEFINITION_ID, decode, readPage, VERSIONS } from "../../calls/decode.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"

export const definitionRoutes: readonly Route[] = [
  { method: "POST", path: "/v1/definitions", permission: "definitions:write", handle: upload },
  { method: "GET", path: "/v1/definitions", permission: "definitions:read", handle: list },
  { method: "GET", path: "/v1/definitions/{definitionId}", permission: "definitions:read", handle: get },
  { method: "GET", path: "/v1/definitions/{definitionId}/versions", permission: "definitions:read", handle: versions },
  { method: "GET", path: "/v1/definitions/{definitionId}/activity", permission: "instances:read", handle: activity },
  {
    method: "GET",
    path: "/v1/definitions/{definitionId}/versions/{version}",
    permission: "definitions:read",
    handle: getVersion,
  },
]

async function upload(call: Call): Promise<Answer> {
  const document = call.body ?? null
  const uploaded = await uploadDefinition(call.kernel, {
    document,
    actor: actorOf(call),
    requestKey: requestKeyOf(call),
  })
  call.warnings.push(...(uploaded.outcome.warnings ?? []))
  return answerTo(uploaded, created<wire.UploadedDefinition>)
}

async function list(call: Call): Promise<Answer> {
  const { keyword, page, pageSize } = decode(call, ({ query }) => ({
    keyword: query.orAbsent((from) => from.optionalText("keyword", 256)),
    ...readPage(query),
  }))
  return json<wire.DefinitionPage>(200, await listDefinitions(call.kernel, keyword, page, pageSize))
}

async function get(call: Call): Promise<Answer> {
  return json<wire.StoredDefinition>(200, await getDefinition(call.kernel, definitionIdOf(call)))
}

async function versions(call: Call): Promise<Answer> {
  return json<wire.DefinitionVersions>(200, { items: await listDefinitionVersions(call.kernel, definitionIdOf(call)) })
}

const OLDER_THAN_MS = 30 * 60_000

async function activity(call: Call): Promise<Answer> {
  const olderThanMs = decode(call, ({ query }) => query.duration("olderThan") ?? OLDER_THAN_MS)
  return json<wire.DefinitionActivity>(200, await getDefinitionActivity(call.kernel, definitionIdOf(call), olderThanMs))
}

async function getVersion(call: Call): Promise<Answer> {
  const id = definitionIdOf(call)
  return json<wire.StoredDefinition>(200, await getDefinition(call.kernel, id, versionOf(call)))
}

function versionOf({ params }: Call): number {
  const version = /^[1-9]\d{0,9}$/.test(params.version ?? "") ? Number(params.version) : 0
  if (version >= VERSIONS.min && version <= VERSIONS.max) return version
  const message = `must be a whole number from ${VERSIONS.min} to ${VERSIONS.max}`
  throw badRequest(`path.version ${message}`, [{ path: "path.version", message }])
}

/** A name that no definition can have is not found, and never reaches the database. */
export function definitionIdOf({ params }: Call): string {
  const id = params.definitionId ?? ""
  if (!DEFINITION_ID.test(id)) throw notFound("there is no such definition")
  return id
}
