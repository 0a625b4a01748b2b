-- Live jobs: one row each, from dispatch to the end.

-- name: insertJobs
insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, run_ms, created_at)
select x.instance_id, x.execution, x.queue_id, 'ready', nextval('millrace.job_seq'), x.step_id, x.retries, x.run_ms, x.created_at
from unnest($1::text[], $2::integer[], $3::integer[], $4::text[], $5::integer[], $6::integer[], $7::timestamptz[])
  as x (instance_id, execution, queue_id, step_id, retries, run_ms, created_at)

-- name: insertLeasedJobs
with made as (
  insert into millrace.jobs (
    instance_id, execution, queue_id, status, seq, step_id, retries_left, run_ms, created_at,
    epoch, nonce, worker_id, seen_version, lease_until, run_until
  )
  select x.instance_id, x.execution, x.queue_id, 'leased', nextval('millrace.job_seq'), x.step_id, x.retries, x.run_ms, x.created_at,
    1, x.nonce, x.worker_id, i.version, t.now + least(x.lease_ms, x.run_ms) * interval '1 ms', t.now + x.run_ms * interval '1 ms'
  from unnest(
      $1::text[], $2::integer[], $3::integer[], $4::text[], $5::integer[], $6::integer[], $7::timestamptz[],
      $8::uuid[], $9::text[], $10::integer[]
    ) as x (instance_id, execution, queue_id, step_id, retries, run_ms, created_at, nonce, worker_id, lease_ms)
  join millrace.instances i on i.id = x.instance_id
  cross join (select millrace.clock() as now) t
  returning instance_id, execution, queue_id, step_id, epoch, nonce, retries_left, lease_until
)
select j.*, i.definition_id, i.business_key, coalesce(i.variables, i.input) as variables
from made j
join millrace.instances i on i.id = j.instance_id

-- name: claimJobs, planned by index
with wanted as (
  -- A lost claim only makes the job ready again later, and the token still fences: this commit need not wait for the disk.
  select w.queue_id, w.after from unnest($1::integer[], $2::bigint[]) as w (queue_id, after),
    (select set_config('synchronous_commit', 'off', true)) as relaxed
),
picked as (
  select c.place
  from wanted w
  cross join lateral (
    select j.ctid as place, j.seq
    from millrace.jobs j
    where j.queue_id = w.queue_id and j.status = 'ready' and j.seq > w.after
    order by j.seq
    limit $3
    for update skip locked
  ) c
  order by c.seq
  limit $3
)
update millrace.jobs j
set status = 'leased', epoch = j.epoch + 1, nonce = ($4::uuid[])[p.slot], worker_id = ($5::text[])[p.slot], seen_version = i.version,
  lease_until = t.now + least(($6::integer[])[p.slot], j.run_ms) * interval '1 ms',
  run_until = t.now + j.run_ms * interval '1 ms'
from unnest(array(select place from picked)) with ordinality as p (place, slot),
  millrace.instances i,
  (select millrace.clock() as now) t
where j.ctid = p.place and i.id = j.instance_id
returning p.slot, j.instance_id, j.execution, j.queue_id, j.seq, j.step_id, j.epoch, j.retries_left, j.lease_until,
  case when j.epoch = 1 then extract(epoch from t.now - j.created_at)::float8 end as waited,
  i.definition_id, i.business_key, coalesce(i.variables, i.input) as variables,
  case when p.slot = 1 then pg_snapshot_xmin(pg_current_snapshot())::text::bigint end as xmin,
  case when p.slot = 1 then pg_snapshot_xmax(pg_current_snapshot())::text::bigint end as xmax

-- name: giveBackJobs
with given as (
  update millrace.jobs j
  set status = 'ready', seq = nextval('millrace.job_seq'), nonce = null, lease_until = null, run_until = null
  from unnest($1::text[], $2::integer[], $3::integer[], $4::uuid[]) as x (instance_id, execution, epoch, nonce)
  where j.instance_id = x.instance_id and j.execution = x.execution and j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce
  returning j.instance_id, j.execution, j.epoch, x.nonce, j.worker_id
)
insert into millrace.attempts (instance_id, execution, epoch, outcome, nonce, worker_id, error, ended_at)
select instance_id, execution, epoch, 'returned', nonce, worker_id, 'whoever asked for it had gone', (select millrace.clock()) from given

-- name: lockJobs
select j.instance_id, j.execution, j.status, j.retries_left, j.lost_leases, j.epoch, j.nonce, j.worker_id, j.seen_version,
  j.status = 'leased' and j.lease_until <= (select millrace.clock()) as expired,
  coalesce(j.run_until <= (select millrace.clock()), false) as overran
from unnest($1::text[], $2::integer[]) as x (instance_id, execution)
join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
for update of j skip locked

-- name: lockJob
select j.instance_id, j.execution, j.status, j.retries_left, j.lost_leases, j.epoch, j.nonce, j.worker_id, j.seen_version,
  j.status = 'leased' and j.lease_until <= (select millrace.clock()) as expired,
  coalesce(j.run_until <= (select millrace.clock()), false) as overran
from unnest($1::text[], $2::integer[]) as x (instance_id, execution)
join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
for update of j

-- name: listLiveJobs
select j.instance_id, j.execution
from unnest($1::text[], $2::integer[]) as x (instance_id, execution)
join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution

-- name: deleteJobs
delete from millrace.jobs j
using unnest($1::text[], $2::integer[]) as x (instance_id, execution)
where j.instance_id = x.instance_id and j.execution = x.execution

-- name: requeueJobs
update millrace.jobs j
set status = case when x.is_ready then 'ready' else 'held' end,
  seq = nextval('millrace.job_seq'),
  visible_at = case when not x.is_ready then (select millrace.clock()) + x.delay_ms * interval '1 ms' end,
  waits_for = case when not x.is_ready then x.waits_for end,
  held_reason = case when not x.is_ready then x.reason end,
  retries_left = x.retries_left, lost_leases = x.lost_leases,
  nonce = case when x.keeps_token then j.nonce end, lease_until = null, run_until = null
from (
  -- What a run waits for may have come while it was on its way to wait.
  select w.*, coalesce(w.delay_ms = 0, false) or exists (
    select from millrace.signals s
    where s.instance_id = w.instance_id and s.name = any(string_to_array(w.waits_for, E'\n')) and s.taken_by is null
  ) as is_ready
  from unnest($1::text[], $2::integer[], $3::bigint[], $4::integer[], $5::integer[], $6::boolean[], $7::text[], $8::text[])
    as w (instance_id, execution, delay_ms, retries_left, lost_leases, keeps_token, waits_for, reason)
) x
where j.instance_id = x.instance_id and j.execution = x.execution
returning j.queue_id, j.status

-- name: heartbeatJobs
with beats as (
  select x.* from unnest($1::text[], $2::integer[], $3::integer[], $4::uuid[], $5::text[], $6::integer[])
    as x (instance_id, execution, epoch, nonce, worker_id, lease_ms),
    -- One job that somebody holds for long must not keep the others' heartbeats waiting.
    (select set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '1s', true)) as relaxed
)
update millrace.jobs j
set lease_until = least((select millrace.clock()) + x.lease_ms * interval '1 ms', j.run_until)
from beats x
where j.instance_id = x.instance_id and j.execution = x.execution and j.status = 'leased'
  and case when x.nonce is null then j.worker_id = x.worker_id else j.epoch = x.epoch and j.nonce = x.nonce end
returning j.instance_id, j.execution, j.epoch, j.nonce, j.worker_id, j.lease_until

-- name: listExpired
select j.instance_id, j.execution, j.epoch
from millrace.jobs j
where j.status = 'leased' and j.lease_until >= $1::timestamptz and j.lease_until <= (select millrace.clock())
order by j.lease_until
limit $2

-- name: releaseHeld
with due as materialized (
  select instance_id, execution from millrace.jobs
  where status = 'held' and visible_at <= (select millrace.clock())
  order by visible_at
  limit $1
  for update skip locked
)
update millrace.jobs j
set status = 'ready', seq = nextval('millrace.job_seq'), visible_at = null, waits_for = null
from due
where j.instance_id = due.instance_id and j.execution = due.execution
returning j.queue_id

-- name: releaseLinked
with linked as materialized (
  select j.instance_id, j.execution
  from millrace.instances i join millrace.jobs j on j.instance_id = i.id
  where i.linking_id = $1 and j.status = 'held' and j.visible_at is not null
  for update of j skip locked
)
update millrace.jobs j
set status = 'ready', seq = nextval('millrace.job_seq'), visible_at = null, waits_for = null
from linked
where j.instance_id = linked.instance_id and j.execution = linked.execution
returning j.queue_id

-- name: findJob
select instance_id, execution, status, epoch, nonce, worker_id from millrace.jobs where instance_id = $1 and execution = $2

-- name: hasReady
select exists (
  select from unnest($1::integer[], $2::bigint[]) as w (queue_id, after)
  cross join lateral (select 1 from millrace.jobs j where j.queue_id = w.queue_id and j.status = 'ready' and j.seq > w.after limit 1) ready
) as ready

-- name: listWaitingJobs
select j.execution, j.status, j.step_id, j.seq, j.epoch, j.worker_id, j.lease_until, j.visible_at, j.waits_for, j.held_reason,
  j.created_at, q.job_type, q.priority, q.polled_at,
  (select count(*) from (
    select from millrace.jobs ahead where ahead.queue_id = j.queue_id and ahead.status = 'ready' and ahead.seq < j.seq limit 1000
  ) capped) as ahead
from millrace.jobs j join millrace.queues q on q.id = j.queue_id
where j.instance_id = $1
order by j.execution
