-- Packs: standalone jobs that were claimed together lie in one row instead of one row each. Taking 500 rows out and writing one costs half of
-- leasing 500 rows, and so does their completion. Only jobs that are new and plain are packed (`is_plain`). Whatever
-- concerns a single one of them takes it out first (`unpack`): from then on it is an ordinary leased row, with the same token.

-- A live job is a row of `jobs`, or an open place of exactly one pack. A place is open while its bit in `ended` is 0, and a bit is never
-- cleared. A pack without an open place is deleted.
create table millrace.packs (
  -- The token of all of its jobs.
  nonce uuid primary key,
  -- The lowest and the highest of its ids.
  first_id text collate "C" not null,
  last_id text collate "C" not null,
  queue_id integer not null,
  step_id text not null,
  worker_id text not null,
  claimed_at timestamptz not null,
  lease_ms integer not null,
  lease_until timestamptz not null,
  run_until timestamptz not null,
  ended varbit not null,
  -- One element for each place.
  ids text[] collate "C" not null,
  payloads jsonb[] not null,
  created_at timestamptz[] not null,
  retries_left integer[] not null,
  -- Null where no job of the pack has one.
  trace_contexts text[]
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
-- Beside the row and uncompressed: an update of `ended` writes none of it again.
alter table millrace.packs
  alter ids set storage external, alter payloads set storage external, alter created_at set storage external,
  alter retries_left set storage external, alter trace_contexts set storage external;
create index packs_ids on millrace.packs (last_id, first_id);
create index packs_leased on millrace.packs (lease_until);

-- Whether a process knows of packs. None is made while one that does not is alive.
alter table millrace.processes add column knows_packs boolean not null default false;

-- Whether a job may be packed: it is new, and has nothing of its own that a pack does not hold. A large payload would make a large row.
create function millrace.is_plain(job millrace.jobs) returns boolean language sql stable as $$
  select job.epoch = 0 and job.execution = 0 and job.run_ms is null and job.retry is null and job.fair_key is null
    and job.limit_key is null and job.downstream is null and job.replay_of is null and job.effect_key is null
    and pg_column_size(job.payload) <= 1000
$$;

-- The jobs in packs, as the rows that `unpack` makes of them.
create view millrace.packed_jobs as
select u.id collate "C" as instance_id, 0 as execution, p.queue_id, 'leased'::text as status, 0::bigint as seq, p.step_id,
  u.retries_left, 0 as lost_leases, null::integer as run_ms, 1 as epoch, p.nonce, p.worker_id, p.lease_until, p.run_until,
  null::timestamptz as visible_at, null::integer as seen_version, u.created_at, null::text as waits_for,
  null::text as held_reason, u.payload, null::json as retry, null::text as fair_key, null::text as limit_key,
  null::text as downstream, null::text as replay_of, p.lease_ms, p.claimed_at, u.trace_context, null::text as effect_key,
  p.first_id, p.last_id
from millrace.packs p cross join lateral unnest(p.ids, p.payloads, p.created_at, p.retries_left, p.trace_contexts)
  with ordinality as u (id, payload, created_at, retries_left, trace_context, place)
where get_bit(p.ended, u.place::integer - 1) = 0;

-- All live jobs, for what reads many of them.
create view millrace.live_jobs as
select instance_id, execution, queue_id, status, seq, step_id, retries_left, lost_leases, run_ms, epoch, nonce, worker_id,
  lease_until, run_until, visible_at, seen_version, created_at, waits_for, held_reason, payload, retry, fair_key, limit_key,
  downstream, replay_of, lease_ms, claimed_at, trace_context, effect_key
from millrace.jobs
union all
select instance_id, execution, queue_id, status, seq, step_id, retries_left, lost_leases, run_ms, epoch, nonce, worker_id,
  lease_until, run_until, visible_at, seen_version, created_at, waits_for, held_reason, payload, retry, fair_key, limit_key,
  downstream, replay_of, lease_ms, claimed_at, trace_context, effect_key
from millrace.packed_jobs;

-- The live jobs of one id: those of an instance, or one standalone job. By index on both sides.
create function millrace.live_jobs_of(id text) returns setof millrace.live_jobs language sql stable as $$
  select instance_id, execution, queue_id, status, seq, step_id, retries_left, lost_leases, run_ms, epoch, nonce, worker_id,
    lease_until, run_until, visible_at, seen_version, created_at, waits_for, held_reason, payload, retry, fair_key, limit_key,
    downstream, replay_of, lease_ms, claimed_at, trace_context, effect_key
  from millrace.jobs where instance_id = id collate "C"
  union all
  select instance_id, execution, queue_id, status, seq, step_id, retries_left, lost_leases, run_ms, epoch, nonce, worker_id,
    lease_until, run_until, visible_at, seen_version, created_at, waits_for, held_reason, payload, retry, fair_key, limit_key,
    downstream, replay_of, lease_ms, claimed_at, trace_context, effect_key
  from millrace.packed_jobs where last_id >= id collate "C" and first_id <= id collate "C" and instance_id = id collate "C"
$$;

-- Makes leased rows of open places of these packs: of those with the wanted ids, or of all where `wanted` is null. Returns how many.
-- The token, its worker and the end of the lease stay as they are, so it changes nothing for anybody, and may be called at any time.
create function millrace.unpack(packs uuid[], wanted text[]) returns bigint language sql volatile as $$
  with held as materialized (
    select p.* from millrace.packs p where p.nonce = any(packs) order by p.nonce for update
  ),
  places as materialized (
    select h.nonce, u.*, get_bit(h.ended, u.place::integer - 1) = 0 and (wanted is null or u.id = any(wanted)) as is_taken
    from held h cross join lateral unnest(h.ids, h.payloads, h.created_at, h.retries_left, h.trace_contexts)
      with ordinality as u (id, payload, created_at, retries_left, trace_context, place)
  ),
  made as (
    insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, epoch, nonce, worker_id,
      lease_until, run_until, created_at, payload, lease_ms, claimed_at, trace_context)
    select p.id, 0, h.queue_id, 'leased', nextval('millrace.job_seq'), h.step_id, p.retries_left, 1, h.nonce, h.worker_id,
      h.lease_until, h.run_until, p.created_at, p.payload, h.lease_ms, h.claimed_at, p.trace_context
    from places p join held h on h.nonce = p.nonce where p.is_taken
    returning 1
  ),
  summed as materialized (
    select h.nonce, h.ended | s.taken as ended from held h join (
      select p.nonce, string_agg(p.is_taken::integer::text, '' order by p.place)::varbit as taken from places p group by p.nonce
    ) s on s.nonce = h.nonce
  ),
  gone as (
    delete from millrace.packs p using summed s where p.nonce = s.nonce and position('0'::varbit in s.ended) = 0
  ),
  changed as (
    update millrace.packs p set ended = s.ended from summed s
    where p.nonce = s.nonce and s.ended <> p.ended and position('0'::varbit in s.ended) > 0
  )
  select count(*) from made
$$;

-- As before, with the jobs in packs.
create or replace view millrace_views.jobs as
select j.instance_id as id, q.job_type as type, case j.status when 'leased' then 'RUNNING' else 'PENDING' end as status,
  q.priority, j.payload, null::json as result,
  (select count(*) from millrace.attempts a
    where a.instance_id = j.instance_id and a.execution = 0 and a.outcome in ('failed', 'timed-out')) as retry_count,
  j.worker_id,
  (select a.error from millrace.attempts a
    where a.instance_id = j.instance_id and a.execution = 0 order by a.epoch desc limit 1) as error,
  j.created_at, greatest(j.created_at, j.claimed_at) as updated_at
from millrace.live_jobs j join millrace.queues q on q.id = j.queue_id
where j.execution = 0
union all
select h.instance_id, q.job_type, case h.status when 'COMPLETED' then 'COMPLETED' else 'FAILED' end, q.priority, h.payload,
  h.delta, h.retry_count, h.worker_id, h.failure_reason, h.created_at, h.ended_at
from millrace.history h join millrace.queues q on q.id = h.queue_id
where h.execution = 0;
