-- Live jobs: one row each, from dispatch to the end.

-- name: insertJobs
with made as (
  insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, run_ms, created_at, downstream)
  select x.instance_id, x.execution, x.queue_id, 'ready', nextval('millrace.job_seq'), x.step_id, x.retries, x.run_ms, x.created_at, x.downstream
  from unnest($1::text[], $2::integer[], $3::integer[], $4::text[], $5::integer[], $6::integer[], $7::timestamptz[], $8::text[])
    as x (instance_id, execution, queue_id, step_id, retries, run_ms, created_at, downstream)
  returning queue_id
)
insert into millrace.depth_deltas (queue_id, delta) select queue_id, count(*) from made group by queue_id

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
with gone as (
  delete from millrace.jobs j
  using unnest($1::text[], $2::integer[]) as x (instance_id, execution)
  where j.instance_id = x.instance_id and j.execution = x.execution
  returning j.queue_id
)
insert into millrace.depth_deltas (queue_id, delta) select queue_id, -count(*) from gone group by queue_id returning queue_id

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
set lease_until = least((select millrace.clock()) + coalesce(x.lease_ms, j.lease_ms) * interval '1 ms', j.run_until)
from beats x
where j.instance_id = x.instance_id and j.execution = x.execution and j.status = 'leased'
  and case when x.nonce is null then j.worker_id = x.worker_id else j.epoch = x.epoch and j.nonce = x.nonce end
returning j.instance_id, j.execution, j.epoch, j.nonce, j.worker_id, j.lease_until

-- name: listExpired
select j.instance_id, j.execution, j.epoch, j.lease_until
from millrace.jobs j
where j.status = 'leased' and j.lease_until >= $1::timestamptz and j.lease_until <= (select millrace.clock())
order by j.lease_until
limit $2

-- name: releaseHeld
-- One with a limit key has its time behind it and its turn before it: whoever fills the limit lets it go.
with due as materialized (
  select instance_id, execution from millrace.jobs
  where status = 'held' and visible_at <= (select millrace.clock())
  order by visible_at
  limit $1
  for update skip locked
)
update millrace.jobs j
set status = case when j.limit_key is null then 'ready' else 'held' end, seq = nextval('millrace.job_seq'), visible_at = null, waits_for = null,
  held_reason = case when j.limit_key is null then j.held_reason else 'limit' end
from due
where j.instance_id = due.instance_id and j.execution = due.execution
returning j.queue_id, j.limit_key

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

-- name: listHolders, planned by index
select execution, worker_id from millrace.jobs where instance_id = $1 and status = 'leased'
