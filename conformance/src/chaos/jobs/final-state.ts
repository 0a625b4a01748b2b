// What the database holds about standalone jobs when all is over.
import type { Database } from "../../../../engine/dist/db/database.js"

/** A job that has ended. `ref` and `amount` are of its payload, `answered` is the delivery that its result names. */
export interface EndedJob {
  readonly id: string
  readonly ref: string
  readonly amount: number
  readonly lane: string
  readonly status: string
  readonly epoch: number
  readonly answered: number | null
  readonly replayOf: string | null
  readonly failures: number
  /** Deliveries that a handler has marked. */
  readonly marks: readonly number[]
  /** Its first mark is older than it may be. */
  readonly isEarly: boolean
}

export interface FinalState {
  readonly ended: readonly EndedJob[]
  readonly live: readonly { readonly id: string; readonly ref: string; readonly status: string }[]
  /** The jobs that dead letters are about. */
  readonly letters: readonly string[]
  /** Whatever else a job can leave behind by its name: its key, its request's key, a limit of its own. */
  readonly traces: readonly { readonly ref: string; readonly what: string }[]
  readonly counters: readonly { readonly name: string; readonly counted: number; readonly there: number }[]
  readonly openBulks: number
}

export async function readFinalState(db: Database): Promise<FinalState> {
  const [ended, live, letters, traces, counters, bulks] = await Promise.all(
    [ENDED, LIVE, LETTERS, TRACES, COUNTERS, OPEN_BULKS].map((query) => db.script(query)),
  )
  return {
    ended: rowsOf(ended),
    live: rowsOf(live),
    letters: rowsOf<{ job: string }>(letters).map(({ job }) => job),
    traces: rowsOf(traces),
    counters: rowsOf(counters),
    openBulks: rowsOf<{ open: number }>(bulks)[0]?.open ?? 0,
  }
}

const rowsOf = <Row>(rows: readonly object[] | undefined): Row[] => (rows ?? []) as Row[]

const ENDED = `select h.instance_id as id, h.payload ->> 'ref' as ref, (h.payload ->> 'amount')::integer as amount, q.priority as lane, h.status, h.epoch,
    (h.delta ->> 'attempt')::integer as answered, h.replay_of as "replayOf", f.failures, m.marks,
    h.replay_of is null and m.first < h.created_at + (h.payload ->> 'delayMs')::integer * interval '1 ms' as "isEarly"
  from millrace.history h
  join millrace.queues q on q.id = h.queue_id
  cross join lateral (
    select coalesce(array_agg(e.attempt), '{}') as marks, coalesce(min(e.at), 'infinity') as first
    from public.chaos_effects e where e.instance_id = h.instance_id and e.execution = 0
  ) m
  cross join lateral (
    select count(*) as failures from millrace.attempts a
    where a.instance_id = h.instance_id and a.execution = 0 and a.outcome in ('failed', 'timed-out')
  ) f
  where h.execution = 0`

const LIVE = "select instance_id as id, payload ->> 'ref' as ref, status from millrace.live_jobs where execution = 0"

const LETTERS = "select instance_id as job from millrace.dead_letters where source = 'job'"

const TRACES = `select key as ref, 'a key' as what from millrace.job_keys
  union all select key, 'the key of a request' from millrace.request_keys where scope = 'chaos-enqueue' or scope like 'POST /jobs %'
  union all select key, 'a limit' from millrace.limits`

const COUNTERS = `select g.name,
    g.live + coalesce((select sum(d.delta) from millrace.depth_deltas d where d.lane = g.name or (g.name = 'total' and d.lane is not null)), 0)::bigint as counted,
    (select count(*) from millrace.live_jobs j join millrace.queues q on q.id = j.queue_id
      where q.definition_id = '' and g.name in (q.priority, 'total')) as there
  from millrace.gates g`

const OPEN_BULKS = "select count(*) as open from millrace.bulk_operations where finished_at is null"
