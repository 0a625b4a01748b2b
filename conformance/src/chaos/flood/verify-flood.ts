// The end of a flood: the ledger against the database, job by job, and what the doctor finds.
import type { Database } from "../../../../engine/dist/db/database.js"
import type { Cut } from "../server.ts"
import { diagnose } from "../verify.ts"
import { Findings } from "./findings.ts"
import type { FloodFacts } from "./flood-facts.ts"
import { type EndedRow, type Evidence, judgeJob } from "./judge-flood.ts"
import { type Ledger, readLedger } from "./ledger.ts"
import type { Range } from "./ranges.ts"
import { Tally } from "./tally.ts"

export async function verifyFlood(
  db: Database,
  journals: string,
  cuts: readonly Cut[],
): Promise<{ facts: FloodFacts; violations: string[] }> {
  const ledger = readLedger(journals, cuts)
  await db.script(ENDED)
  const tally = new Tally(ledger)
  const findings = new Findings()
  findings.add([...ledger.violations, ...(await listed(db, tally.jobs))])
  for (const range of ledger.ranges) {
    const rows = await rowsOf(db, range)
    for (let n = range.from; n < range.from + range.count; n++) {
      const evidence = evidenceOf(ledger, range, { n, rows: rows.get(n) ?? [] })
      findings.add(judgeJob(evidence))
      tally.count(evidence)
    }
  }
  return { facts: tally.facts(cuts), violations: [...findings.all, ...(await diagnose(db))] }
}

async function rowsOf(db: Database, { from, count }: Range): Promise<Map<number, EndedRow[]>> {
  const query = `select n, id, status, token, result, lost from public.chaos_ended where n >= ${from} and n < ${from + count}`
  const rows = new Map<number, EndedRow[]>()
  for (const row of (await db.script(query)) as unknown as EndedRow[])
    rows.set(row.n, [...(rows.get(row.n) ?? []), row])
  return rows
}

const evidenceOf = ({ deliveries, cuts }: Ledger, range: Range, of: Pick<Evidence, "n" | "rows">): Evidence => ({
  ...of,
  id: range.ids?.[of.n - range.from],
  deliveries: deliveries.of(of.n),
  mayBeTakenBack: (claim) => cuts.mayHaveLost(claim),
})

async function listed(db: Database, jobs: number): Promise<string[]> {
  const queries = [
    [`select n, id from public.chaos_ended where n is null or n >= ${jobs} limit 20`, "nobody asked for this job"],
    ["select instance_id, status from millrace.live_jobs limit 20", "L1: a job has not ended"],
  ] as const
  const found = await Promise.all(queries.map(async ([query, what]) => ({ what, rows: await db.script(query) })))
  return found.flatMap(({ what, rows }) => rows.map((row) => `${what}: ${Object.values(row).join(" ")}`))
}

const ENDED = `create table public.chaos_ended as
  select (h.payload ->> 'n')::integer as n, h.instance_id as id, h.status, h.epoch || '.' || h.nonce as token,
    -- Without the place in a pack: the history knows the token that its jobs share.
    substring(h.delta ->> 'token' from '^[0-9]+[.][0-9a-f-]+') as result, a.lost
  from millrace.history h left join (
    select instance_id, array_agg(epoch || '.' || nonce) as lost from millrace.attempts where execution = 0 group by 1
  ) a using (instance_id)
  where h.execution = 0;
  create index on public.chaos_ended (n);
  analyze public.chaos_ended`
