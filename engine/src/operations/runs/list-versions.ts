// Which versions of which lists are being worked on, here and in other processes: what decides whether an older worker leaves a run alone.

import type { Database } from "../../db/database.ts"
import { isListWorked } from "../../store/upkeep/pulse.ts"
import { perKernel } from "../kernel/kernel.ts"

export class ListVersions {
  readonly #db: Database
  /** By the name of the list: one version for each worker that runs it. */
  readonly #mine = new Map<string, readonly number[]>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Other processes learn of the change through the pulse. */
  work(name: string, version: number): void {
    this.#mine.set(name, [...(this.#mine.get(name) ?? []), version])
  }

  /** A worker that worked on it has stopped. */
  rest(name: string, version: number): void {
    const left = [...(this.#mine.get(name) ?? [])]
    left.splice(left.indexOf(version), 1)
    if (left.length > 0) this.#mine.set(name, left)
    else this.#mine.delete(name)
  }

  toJson(): string {
    return JSON.stringify(Object.fromEntries([...this.#mine].map(([name, versions]) => [name, Math.max(...versions)])))
  }

  /** Whether some process works on that version or a newer one. After a rollback of a deploy none does. */
  isWorked(name: string, version: number): Promise<boolean> {
    return isListWorked(this.#db, name, version)
  }
}

export const listVersionsOf = perKernel((kernel) => new ListVersions(kernel.db))
