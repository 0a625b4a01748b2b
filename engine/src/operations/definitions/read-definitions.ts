// Reads definitions: one version, the latest, a page of the latest of each, the versions there are.
import type { Definition } from "../../model/definitions/definition.ts"
import {
  countDefinitions,
  type DefinitionRow,
  findLatest,
  findVersion,
  listDefinitions as listRows,
  listVersions,
} from "../../store/definitions/definitions.ts"
import { notFound } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { type DefinitionSummary, summaryOf } from "./upload-definition.ts"

interface StoredDefinition extends Definition {
  readonly version: number
  readonly uploadedAt: string
}

/** The document as uploaded, in its order, with `version` and `uploadedAt`: it can be posted back. */
export async function getDefinition(kernel: Kernel, id: string, version?: number): Promise<StoredDefinition> {
  const row = version === undefined ? await findLatest(kernel.db, id) : await findVersion(kernel.db, id, version)
  if (!row) throw noSuchDefinition(id, version)
  return toDocument(row)
}

export const noSuchDefinition = (id: string, version?: number) =>
  notFound(`there is no definition ${id.slice(0, 256)}${version === undefined ? "" : ` version ${version}`}`)

const toDocument = (row: DefinitionRow): StoredDefinition => ({
  ...(JSON.parse(row.document) as Definition),
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
  kernel: Kernel,
  keyword: string | undefined,
  page: number,
  pageSize: number,
): Promise<DefinitionPage> {
  const pattern = keyword ? `%${keyword.replaceAll(/[\\%_]/g, "\\$&")}%` : null
  const rows = await listRows(kernel.db, pattern, pageSize, page * pageSize)
  const total = rows[0]?.total ?? (page === 0 ? 0 : await countDefinitions(kernel.db, pattern))
  return { items: rows.map(summaryOf), page, pageSize, total }
}

export interface DefinitionVersion {
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly uploadedAt: string
  readonly uploadedBy: string
}

const VERSIONS_MAX = 200

/** Newest first. */
export async function listDefinitionVersions(kernel: Kernel, id: string): Promise<readonly DefinitionVersion[]> {
  const rows = await listVersions(kernel.db, id, VERSIONS_MAX)
  if (rows.length === 0) throw noSuchDefinition(id)
  return rows.map((row) => ({
    version: row.version,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    uploadedAt: isoTime(row.uploaded_at),
    uploadedBy: row.uploaded_by,
  }))
}
