// The ledger of a flood, read back from the files that its processes wrote.
import { readdirSync } from "node:fs"
import { eachLine } from "../journal.ts"
import type { Cut } from "../server.ts"
import type { Deliveries } from "./deliveries.ts"
import { PowerCuts } from "./power-cuts.ts"
import { type Range, Ranges } from "./ranges.ts"
import { Work } from "./work.ts"

export interface Ledger {
  /** In order. */
  readonly ranges: readonly Range[]
  readonly deliveries: Deliveries
  readonly cuts: PowerCuts
  readonly violations: readonly string[]
}

export function readLedger(journals: string, cutTimes: readonly Cut[]): Ledger {
  const cuts = new PowerCuts(cutTimes)
  const ranges = new Ranges(cuts)
  for (const line of eachLine(journals, "driver")) ranges.take(line)
  const work = new Work(cuts)
  for (const worker of workersIn(journals)) {
    work.beginWorker()
    for (const line of eachLine(journals, `${worker}-`)) work.take(line)
  }
  const { deliveries } = work
  return { ranges: ranges.all, deliveries, cuts, violations: [...ranges.violations, ...work.violations] }
}

const workersIn = (journals: string): Set<string> =>
  new Set(readdirSync(journals).flatMap((name) => /^(flood-worker-\d+)-/.exec(name)?.[1] ?? []))
