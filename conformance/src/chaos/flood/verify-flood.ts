// The end of a flood: the ledger against the database, job by job, and what the doctor finds.
import type { Database } from "../../../../engine/dist/db/database.js"
import type { Cut } from "../server.ts"
import { diagnose } from "../verify.ts"
import { type EndedRow, type Evidence, isStale, judgeJob } from "./judge-flood.ts"
import { type Ledger, readLedger } from "./ledger.ts"

export interface FloodFacts {
  readonly jobs: number
  readonly effects: number
  readonly cuts: number
  /** Items whose answer was lost. */
  readonly ambiguous: { readonly asked: number; readonly reported: number }
  /** Reports with the token of a lease that another worker had taken over. */
  stale: number
  staleAccepted: number
}

const MOST_VIOLATIONS = 1_000

export async function verifyFlood(
  db: Database,
  journals: string,
  cuts: readonly Cut[],
): Promise<{ facts: FloodFacts; violations: string[] }> {
  const ledger = readLedger(journals, cuts)
  const { ranges, deliveries, ambiguous } = ledger
  const jobs = ranges.reduce((sum, { count }) => sum + count, 0)
  const facts = { jobs, effects: deliveries.count, cuts: cuts.length, ambiguous, stale: 0, staleAccepted: 0 }
  await db.script(ENDED)
  const violations = [...ledger.violations, ...(await listed(db, jobs))]
  for (const range of ranges) {
    const rows = await rowsOf(db, range)
    for (let n = range.from; n < range.from + range.count; n++) {
      const evidence = evidenceOf(ledger, n, range.ids?.[n - range.from], rows)
      if (violations.length < MOST_VIOLATIONS) violations.push(...judgeJob(evidence))
      countStale(facts, evidence)
    }
  }
  return { facts, violations: [...violations, ...(await diagnose(db))] }
}

async function rowsOf(db: Database, { from, count }: { from: number; count: number }) {
  const query = `select n, id, status, token, result, lost from public.chaos_ended where n >= ${from} and n < ${from + count}`
  const rows = new Map<number, EndedRow[]>()
  for (const row of (await db.script(query)) as unknown as EndedRow[])
    rows.set(row.n, [...(rows.get(row.n) ?? []), row])
  return rows
}

function evidenceOf(
  ledger: Ledger,
  n: number,
  id: string | undefined,
  rows: ReadonlyMap<number, EndedRow[]>,
): Evidence {
  const mayBeTakenBack = (claim: { askedAt: number; claimedAt: number }) => ledger.cuts.mayHaveLost(claim)
  return { n, id, deliveries: ledger.deliveries.of(n), rows: rows.get(n) ?? [], mayBeTakenBack }
}

function countStale(facts: FloodFacts, evidence: Evidence): void {
  if (evidence.deliveries.length < 2) return
  for (const delivery of evidence.deliveries) {
    if (!isStale(delivery, evidence)) continue
    facts.stale += 1
    if (delivery.verdict === "accepted") facts.staleAccepted += 1
  }
}

async function listed(db: Database, jobs: number): Promise<string[]> {
  const queries = [
    [`select n, id from public.chaos_ended where n is null or n >= ${jobs} limit 20`, "nobody asked for this job"],
    ["select instance_id, status from millrace.jobs limit 20", "L1: a job has not ended"],
  ] as const
  const found = await Promise.all(queries.map(async ([query, what]) => ({ what, rows: await db.script(query) })))
  return found.flatMap(({ what, rows }) => rows.map((row) => `${what}: ${Object.values(row).join(" ")}`))
}

const ENDED = `create table public.chaos_ended as
  select (h.payload ->> 'n')::integer as n, h.instance_id as id, h.status, h.epoch || '.' || h.nonce as token,
    h.delta ->> 'token' as result, a.lost
  from millrace.history h left join (
    select instance_id, array_agg(epoch || '.' || nonce) as lost from millrace.attempts where execution = 0 group by 1
  ) a using (instance_id)
  where h.execution = 0;
  create index on public.chaos_ended (n);
  analyze public.chaos_ended`
