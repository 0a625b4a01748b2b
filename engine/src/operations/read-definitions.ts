// Reads definitions: one version, the latest, a page of the latest of each.
import {
  countDefinitions,
  type DefinitionRow,
  findLatest,
  findVersion,
  listDefinitions as listRows,
} from "../store/definitions.ts"
import { notFound } from "../support/errors.ts"
import type { JsonObject } from "../support/json.ts"
import type { Context } from "./context.ts"
import { isoTime } from "./instance-view.ts"
import { type DefinitionSummary, summaryOf } from "./upload-definition.ts"

/** The document as uploaded, in its order, with `version` and `uploadedAt`: it can be posted back. */
export async function getDefinition(ctx: Context, id: string, version?: number): Promise<JsonObject> {
  const row = version === undefined ? await findLatest(ctx.db, id) : await findVersion(ctx.db, id, version)
  if (!row)
    throw notFound(`there is no definition ${id.slice(0, 256)}${version === undefined ? "" : ` version ${version}`}`)
  return toDocument(row)
}

const toDocument = (row: DefinitionRow): JsonObject => ({
  ...(JSON.parse(row.document) as JsonObject),
  version: row.version,
  uploadedAt: isoTime(row.uploaded_at),
})

export interface DefinitionPage {
  readonly items: readonly DefinitionSummary[]
  readonly page: number
  readonly pageSize: number
  readonly total: number
}

export async function listDefinitions(
  ctx: Context,
  keyword: string | undefined,
  page: number,
  pageSize: number,
): Promise<DefinitionPage> {
  const pattern = keyword ? `%${keyword.replaceAll(/[\\%_]/g, "\\$&")}%` : null
  const rows = await listRows(ctx.db, pattern, pageSize, page * pageSize)
  const total = rows[0]?.total ?? (page === 0 ? 0 : await countDefinitions(ctx.db, pattern))
  return { items: rows.map(summaryOf), page, pageSize, total }
}
