// Completions of jobs in packs: the reports on one pack are one row of the statement, with an element for each place.
import type { Transaction } from "../../../db/transaction.ts"
import { completePacks } from "../../../store/jobs/packs.ts"
import type { CompletedRow } from "../../../store/jobs/standalone-jobs.ts"
import type { Completion } from "./report.ts"

export interface StandaloneCompletion {
  readonly id: string
  readonly report: Completion
  /** JSON. */
  readonly result: string | null
}

/** The reports on jobs that have rows, and those on jobs in packs, by the token of the pack. */
export function partOf(items: readonly StandaloneCompletion[]) {
  const rows: number[] = []
  const packs = new Map<string, PackCompletion>()
  for (const [at, { id, report, result }] of items.entries()) {
    const { epoch, nonce, place } = report.token ?? {}
    // Only the first delivery of a job may be by a pack.
    if (nonce === undefined || place === undefined || epoch !== 1) {
      rows.push(at)
      continue
    }
    const pack = packs.get(nonce) ?? newPack(nonce)
    packs.set(nonce, pack)
    add(pack, { at, id, place, result })
  }
  return { rows, packs }
}

/** By place in the pack, from 0 on. */
interface PackCompletion {
  readonly nonce: string
  readonly ids: (string | null)[]
  readonly results: (string | null)[]
  /** Which report it was. */
  readonly reports: number[]
  hasResults: boolean
}

const newPack = (nonce: string): PackCompletion => ({ nonce, ids: [], results: [], reports: [], hasResults: false })

/** The first of several reports on one place is sent. */
function add(
  pack: PackCompletion,
  { at, id, place, result }: { at: number; id: string; place: number; result: string | null },
): void {
  while (pack.ids.length < place) {
    pack.ids.push(null)
    pack.results.push(null)
  }
  if (pack.ids[place - 1] !== null) return
  pack.ids[place - 1] = id
  pack.results[place - 1] = result
  pack.reports[place - 1] = at
  pack.hasResults ||= result !== null
}

export function completePacked(
  tx: Transaction,
  packs: ReadonlyMap<string, PackCompletion>,
  onRows: (rows: readonly CompletedRow[]) => void,
): void {
  const reports = [...packs.values()].map(({ nonce, ids, results, hasResults }) => ({
    nonce,
    ids,
    results: hasResults ? results : null,
  }))
  completePacks(tx, reports, (answers) => {
    const rows: CompletedRow[] = []
    for (const { nonce, queue_id, done } of answers) {
      const { reports } = packs.get(nonce) as PackCompletion
      for (let place = 0; place < done.length; place++)
        if (done[place] === "1")
          rows.push({ report: reports[place] as number, queue_id, limit_key: null, downstream: null })
    }
    onRows(rows)
  })
}
