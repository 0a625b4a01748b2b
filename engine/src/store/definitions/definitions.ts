// Typed access to definitions.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"

const sql = statements(import.meta.url, "definitions", [
  "insertDefinition",
  "lockDefinitionId",
  "findLatest",
  "findByDigest",
  "findVersion",
  "listDefinitions",
  "listVersions",
  "countDefinitions",
  "expectLatest",
  "isLatest",
  "listServiceTypes",
])

/** SQLSTATE raised by `expectLatest` when a plan was made with an older version. */
export const NEWER_VERSION = "MR001"

export interface DefinitionRow extends Record<string, unknown> {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly description: string | null
  readonly document: string
  readonly digest: Buffer
  readonly uploaded_at: number
}

export interface NewDefinitionRow {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly description: string | null
  readonly document: string
  readonly digest: Buffer
  readonly uploadedAt: number
  readonly uploadedBy: string
}

export function insertDefinition(tx: Transaction, row: NewDefinitionRow): void {
  const { id, version, name, description, document, digest, uploadedAt, uploadedBy } = row
  tx.write(sql.insertDefinition, {
    id,
    version,
    name,
    description,
    document,
    digest,
    uploadedAt: timestamp(uploadedAt),
    uploadedBy,
  })
}

/** Two uploads of one id wait for each other, so that versions have no gap and no clash. */
export async function lockDefinitionId(tx: Transaction, id: string): Promise<void> {
  await tx.read(sql.lockDefinitionId, { id })
}

export async function findLatest(reader: Reader, id: string): Promise<DefinitionRow | undefined> {
  const [row] = await reader.read<DefinitionRow>(sql.findLatest, { id })
  return row
}

export async function findByDigest(tx: Transaction, id: string, digest: Buffer): Promise<DefinitionRow | undefined> {
  const [row] = await tx.read<DefinitionRow>(sql.findByDigest, { id, digest })
  return row
}

export async function findVersion(db: Database, id: string, version: number): Promise<DefinitionRow | undefined> {
  const [row] = await db.query<DefinitionRow>(sql.findVersion, { id, version })
  return row
}

export interface DefinitionSummaryRow extends Record<string, unknown> {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly description: string | null
  readonly uploaded_at: number
  readonly total: number
}

export const listDefinitions = (db: Database, pattern: string | null, limit: number, offset: number) =>
  db.query<DefinitionSummaryRow>(sql.listDefinitions, { pattern, limit, offset })

export interface DefinitionVersionRow extends Record<string, unknown> {
  readonly version: number
  readonly name: string
  readonly description: string | null
  readonly uploaded_at: number
  readonly uploaded_by: string
}

/** Newest first. */
export const listVersions = (db: Database, id: string, limit: number): Promise<DefinitionVersionRow[]> =>
  db.query(sql.listVersions, { id, limit })

export async function countDefinitions(db: Database, pattern: string | null): Promise<number> {
  const [row] = await db.query<{ total: number }>(sql.countDefinitions, { pattern })
  return row?.total ?? 0
}

export async function isLatest(tx: Transaction, id: string, version: number): Promise<boolean> {
  const [row] = await tx.read<{ latest: boolean }>(sql.isLatest, { id, version })
  return row?.latest ?? false
}

/** Fails the transaction with NEWER_VERSION if one of the definitions has a later version than the plan knew. */
export function expectLatest(tx: Transaction, versions: ReadonlyMap<string, number>): void {
  tx.write(sql.expectLatest, { ids: [...versions.keys()], versions: [...versions.values()] })
}

/** The job types of the service tasks of all definitions that are in use. */
export async function listServiceTypes(db: Database): Promise<string[]> {
  const rows = await db.query<{ job_type: string }>(sql.listServiceTypes)
  return rows.map(({ job_type }) => job_type)
}
