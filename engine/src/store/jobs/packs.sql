-- Packs: standalone jobs that were claimed together, in one row. See migrations/0031_packs.sql for what a pack is.

-- name: claimPacks, planned by index
-- Of one queue. What one worker is given is a pack. `passed`: jobs that are not plain, for `claimJobs`.
with t as materialized (select millrace.clock() as now),
picked as materialized (
  select j.ctid as place, millrace.is_plain(j) as is_plain
  from millrace.jobs j, (select set_config('synchronous_commit', 'off', true)) as relaxed
  where j.status = 'ready' and j.queue_id = @queueId and j.seq > @after
  order by j.seq limit @quota for update of j skip locked
),
gone as (
  delete from millrace.jobs j using picked p where j.ctid = p.place and p.is_plain
  returning j.instance_id, j.seq, j.step_id, j.payload, j.created_at, j.retries_left, j.trace_context
),
dealt as materialized (select g.*, (@owners::integer[])[row_number() over ()] as owner from gone g),
packed as (
  insert into millrace.packs (first_id, last_id, queue_id, step_id, nonce, worker_id, claimed_at, lease_ms, lease_until,
    run_until, ended, ids, payloads, created_at, retries_left, trace_contexts)
  select min(d.instance_id), max(d.instance_id), @queueId, min(d.step_id), w.nonce, w.worker_id, t.now, w.lease_ms,
    t.now + least(w.lease_ms, @runMs::integer) * interval '1 ms', t.now + @runMs::integer * interval '1 ms',
    repeat('0', count(*)::integer)::varbit, array_agg(d.instance_id), array_agg(d.payload), array_agg(d.created_at),
    array_agg(d.retries_left), case when count(d.trace_context) > 0 then array_agg(d.trace_context) end
  from @owned with ordinality as w (nonce uuid, worker_id text, lease_ms integer, owner)
  join dealt d on d.owner = w.owner, t
  group by w.owner, w.nonce, w.worker_id, w.lease_ms, t.now
  returning nonce, step_id, claimed_at, lease_until, ids, payloads, created_at, retries_left, trace_contexts
),
told as (
  select count(*) filter (where not is_plain) as passed, (select min(seq) from dealt) as lowest,
    (select max(seq) from dealt) as highest, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xmax
  from picked
)
select null::uuid as nonce, null::bigint as place, null as instance_id, null as step_id, null::integer as retries_left,
  null::jsonb as variables, null as trace_context, null::float8 as waited, null::timestamptz as lease_until, told.*
from told
union all
select p.nonce, u.place, u.id, p.step_id, u.retries_left, u.payload, u.trace_context,
  extract(epoch from p.claimed_at - u.created_at)::float8, p.lease_until, null, null, null, null, null
from packed p cross join lateral unnest(p.ids, p.payloads, p.created_at, p.retries_left, p.trace_contexts)
  with ordinality as u (id, payload, created_at, retries_left, trace_context, place)

-- name: completePacks
-- `ids` and `done` go by place. A place counts where it is open and holds the job of that id: `done` has a 1 for it.
with report as materialized (
  select x.nonce, x.ids::text[] as ids, x.results::json[] as results
  from @reports as x (nonce uuid, ids text, results text)
),
held as materialized (
  select p.*, r.ids as told, r.results from report r join millrace.packs p on p.nonce = r.nonce
  order by p.nonce for update of p
),
judged as materialized (
  select h.nonce, u.*,
    case when u.told = u.id then get_bit(h.ended, u.place::integer - 1) = 0 else false end as is_done
  from held h cross join lateral unnest(h.ids, h.payloads, h.created_at, h.told, h.results) with ordinality
    as u (id, payload, created_at, told, result, place) where u.id is not null
),
summed as materialized (
  select h.nonce, h.queue_id, s.n, s.done, h.ended | s.done::varbit as ended from held h join (
    select nonce, count(*) filter (where is_done) as n, string_agg(is_done::integer::text, '' order by place) as done
    from judged group by nonce) s on s.nonce = h.nonce
),
gone as (
  delete from millrace.packs p using summed s where p.nonce = s.nonce and position('0'::varbit in s.ended) = 0
),
changed as (
  update millrace.packs p set ended = s.ended from summed s
  where p.nonce = s.nonce and s.n > 0 and position('0'::varbit in s.ended) > 0
),
kept as (
  insert into millrace.history (instance_id, execution, step_id, step_type, attempt, status, started_at, ended_at,
    delta, seq, epoch, nonce, worker_id, verb, queue_id, payload, created_at, retry_count)
  select j.id, 0, h.step_id, 'JOB', 1, 'COMPLETED', h.claimed_at, t.now, j.result, 0,
    1, h.nonce, h.worker_id, 'complete', h.queue_id, j.payload, j.created_at, 0
  from held h join judged j on j.nonce = h.nonce and j.is_done, (select millrace.clock() as now) t
),
counted as (
  insert into millrace.depth_deltas (queue_id, lane, delta)
  select s.queue_id, q.priority, -s.n from summed s join millrace.queues q on q.id = s.queue_id where s.n > 0)
select nonce, queue_id, done from summed

-- name: unpackJobs
-- Of these jobs those that are in packs.
select millrace.unpack(array(
  select p.nonce from unnest(@ids::text[]) as x (id)
  join millrace.packs p on p.last_id >= x.id collate "C" and p.first_id <= x.id collate "C" and x.id = any(p.ids)
), @ids::text[]) as n

-- name: unpackEnded
-- Packs whose lease is over, or any.
select millrace.unpack(array(
  select nonce from millrace.packs where @any::boolean or lease_until <= (select millrace.clock())
  order by lease_until limit @limit
), null) as n
