// Uploads a definition: the same content is the version that is there, changed content is the next one.

import { createHash } from "node:crypto"
import type { Transaction } from "../../db/transaction.ts"
import { canonicalText } from "../../model/definitions/canonical.ts"
import type { Definition } from "../../model/definitions/definition.ts"
import { definitionWarnings, missingNextWarning, nextOf } from "../../model/definitions/definition-warnings.ts"
import { parseDefinition } from "../../model/definitions/parse-definition.ts"
import {
  type DefinitionRow,
  findByDigest,
  findLatest,
  insertDefinition,
  lockDefinitionId,
} from "../../store/definitions/definitions.ts"
import { insertAudit } from "../../store/instances/audit.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { badRequest } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import { dispatchingOf } from "../jobs/dispatch/dispatching.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { definitionsOf } from "./definition-cache.ts"

export interface UploadRequest {
  readonly document: JsonValue
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

export interface DefinitionSummary {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly uploadedAt: string
}

export interface UploadedDefinition extends DefinitionSummary {
  /** What was accepted and may surprise; absent when there is nothing of it. */
  readonly warnings?: readonly string[]
}

export async function uploadDefinition(kernel: Kernel, request: UploadRequest): Promise<Done<UploadedDefinition>> {
  const parsed = parseDefinition(request.document)
  if ("violations" in parsed) {
    const { violations } = parsed
    throw badRequest(
      `the definition has ${violations.length} violation${violations.length === 1 ? "" : "s"}`,
      violations,
    )
  }
  await dispatchingOf(kernel).expectTopics(dispatchedTypes(parsed.definition))
  const warnings = definitionWarnings(parsed.definition)
  const uploaded = await kernel.db.transaction((tx) =>
    once(tx, request.requestKey, async () => {
      const summary = await store(kernel, tx, parsed.definition, request)
      const told = [...(await missingNext(tx, parsed.definition)), ...warnings]
      return told.length === 0 ? summary : { ...summary, warnings: told }
    }),
  )
  definitionsOf(kernel).forgetLatest(parsed.definition.id)
  return uploaded
}

/** Two definitions that start each other must be uploaded one after the other, so this is no fault. */
async function missingNext(tx: Transaction, definition: Definition): Promise<readonly string[]> {
  const next = nextOf(definition)
  if (next === undefined || next === definition.id || (await findLatest(tx, next))) return []
  return [missingNextWarning(next, "yet")]
}

/** The types of the jobs that its steps make. A step list is run by its own workers, which poll. */
const dispatchedTypes = ({ execution, steps }: Definition): string[] =>
  execution === "steplist"
    ? []
    : [...new Set(steps.flatMap((step) => (step.type === "SERVICE_TASK" ? [step.jobType] : [])))]

async function store(
  kernel: Kernel,
  tx: Transaction,
  definition: Definition,
  request: UploadRequest,
): Promise<DefinitionSummary> {
  const digest = createHash("sha256").update(canonicalText(definition)).digest()
  await lockDefinitionId(tx, definition.id)
  const latest = await findLatest(tx, definition.id)
  // A worker of an older list that starts again is still of the older one: its list is not the newest for having been seen last.
  const same = definition.execution === "steplist" ? await findByDigest(tx, definition.id, digest) : latest
  if (same?.digest.equals(digest)) return summaryOf(same)
  const row = {
    id: definition.id,
    version: (latest?.version ?? 0) + 1,
    name: definition.name,
    description: definition.description ?? null,
    document: JSON.stringify(definition),
    digest,
    uploadedAt: kernel.clock.nowMs(),
    uploadedBy: request.actor,
  }
  insertDefinition(tx, row)
  audit(kernel, tx, row, request.actor)
  kernel.metrics.definitionsUploaded.inc()
  return summaryOf({ ...row, uploaded_at: row.uploadedAt })
}

/** A definition's trail is kept beside those of the instances, under `definition:<id>`, a line per version. */
function audit(
  kernel: Kernel,
  tx: Transaction,
  row: { id: string; version: number; uploadedAt: number },
  actor: string,
): void {
  if (!kernel.settings.auditLogEnabled) return
  const detail: JsonObject = { definitionId: row.id, version: row.version }
  const entry = { kind: "DEFINITION_UPLOADED", actor, detail } as const
  insertAudit(tx, [{ instanceId: `definition:${row.id}`, seq: row.version, at: row.uploadedAt, entries: [entry] }])
}

export const summaryOf = (
  row: Pick<DefinitionRow, "id" | "version" | "name" | "description" | "uploaded_at">,
): DefinitionSummary => ({
  id: row.id,
  version: row.version,
  name: row.name,
  ...(row.description === null ? {} : { description: row.description }),
  uploadedAt: isoTime(row.uploaded_at),
})
