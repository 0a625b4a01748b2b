// Compiled definitions in memory. A version never changes; which one is the latest is checked by the database at every start, but not at an
// intake of a step list, which is one statement: it may be noted under the version before until this process has looked again.

import type { Database } from "../../db/database.ts"
import { type CompiledDefinition, compileDefinition } from "../../model/definitions/compile-definition.ts"
import type { Definition } from "../../model/definitions/definition.ts"
import { type DefinitionRow, findLatest, findVersion } from "../../store/definitions/definitions.ts"
import { type Kernel, perKernel } from "../kernel/kernel.ts"

const MAX_CACHED = 2_000
const ABSENT_MS = 60_000

export class DefinitionCache {
  readonly #db: Database
  readonly #versions = new Map<string, CompiledDefinition>()
  readonly #latest = new Map<string, CompiledDefinition>()
  readonly #loading = new Map<string, Promise<CompiledDefinition | undefined>>()
  /** Names that no definition has, until when they are taken for such. */
  readonly #absentUntil = new Map<string, number>()
  #forgotten = 0

  constructor(db: Database) {
    this.#db = db
  }

  /** The latest as this process knows it: `expectLatest` tells when that is not so, `forgetLatest` then makes it look again. */
  async latest(id: string): Promise<CompiledDefinition | undefined> {
    return this.#latest.get(id) ?? this.#loading.get(id) ?? this.#load(id)
  }

  /** As `latest`, for names that mostly have no definition: that there is none is asked once a minute, and known without a wait. */
  named(id: string, nowMs: number): CompiledDefinition | undefined | Promise<CompiledDefinition | undefined> {
    const known = this.#latest.get(id)
    if (known || (this.#absentUntil.get(id) ?? 0) > nowMs) return known
    const forgotten = this.#forgotten
    return this.latest(id).then((found) => {
      if (!found && forgotten === this.#forgotten) this.#noteAbsent(id, nowMs)
      return found
    })
  }

  #noteAbsent(id: string, nowMs: number): void {
    if (this.#absentUntil.size >= MAX_CACHED) this.#absentUntil.clear()
    this.#absentUntil.set(id, nowMs + ABSENT_MS)
  }

  /** A flood of first starts asks the database once, and not each for itself. */
  #load(id: string): Promise<CompiledDefinition | undefined> {
    const loading = this.#find(id).finally(() => {
      if (this.#loading.get(id) === loading) this.#loading.delete(id)
    })
    this.#loading.set(id, loading)
    return loading
  }

  /** What is forgotten while it is being read is not remembered. */
  async #find(id: string): Promise<CompiledDefinition | undefined> {
    const forgotten = this.#forgotten
    const row = await findLatest(this.#db, id)
    const found = row && this.#keep(row)
    if (found && forgotten === this.#forgotten) this.#latest.set(id, found)
    return found
  }

  async version(id: string, version: number): Promise<CompiledDefinition | undefined> {
    const cached = this.cached(id, version)
    if (cached) return cached
    const row = await findVersion(this.#db, id, version)
    return row && this.#keep(row)
  }

  cached(id: string, version: number): CompiledDefinition | undefined {
    return this.#versions.get(`${id}@${version}`)
  }

  forgetLatest(id: string): void {
    this.#forgotten += 1
    this.#latest.delete(id)
    this.#absentUntil.delete(id)
    this.#loading.delete(id)
  }

  #keep(row: DefinitionRow): CompiledDefinition {
    const key = `${row.id}@${row.version}`
    const known = this.#versions.get(key)
    if (known) return known
    const compiled = compileDefinition(JSON.parse(row.document) as Definition, row.version)
    if (this.#versions.size >= MAX_CACHED) this.#versions.delete(this.#versions.keys().next().value as string)
    this.#versions.set(key, compiled)
    return compiled
  }
}

/** The version of a list that a run was worked on with last: a newer worker goes on with what an older one has begun. */
export async function workedVersion(
  kernel: Kernel,
  started: CompiledDefinition,
  recorded: readonly { readonly list_version: number | null }[],
): Promise<CompiledDefinition> {
  const last = recorded.at(-1)?.list_version ?? 0
  if (last <= started.version) return started
  return (await definitionsOf(kernel).version(started.id, last)) ?? started
}

export const definitionsOf = perKernel((kernel) => new DefinitionCache(kernel.db.aside))
