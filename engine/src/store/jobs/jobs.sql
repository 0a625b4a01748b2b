-- Live jobs: one row each, from dispatch to the end.

-- name: insertJobs
with made as (
  insert into millrace.jobs (
    instance_id, execution, queue_id, status, seq, step_id, retries_left, run_ms, created_at, downstream,
    effect_key
  )
  select x.instance_id, x.execution, x.queue_id, 'ready', nextval('millrace.job_seq'), x.step_id, x.retries, x.run_ms,
    x.created_at, x.downstream, x.effect_key
  from @jobs as x (
    instance_id text, execution integer, queue_id integer, step_id text, retries integer, run_ms integer,
    created_at timestamptz, downstream text, effect_key text
  )
  returning queue_id
)
insert into millrace.depth_deltas (queue_id, delta)
select queue_id, count(*) from made group by queue_id

-- name: lockFreeJobs
select j.instance_id, j.execution, j.status, j.retries_left, j.lost_leases,
  j.epoch, j.nonce, j.worker_id, j.seen_version, j.queue_id, j.limit_key, j.downstream, j.retry,
  j.status = 'leased' and j.lease_until <= (select millrace.clock()) as expired,
  coalesce(j.run_until <= (select millrace.clock()), false) as overran
from @jobs as x (instance_id text, execution integer)
join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
for update of j skip locked

-- name: lockJobs
select j.instance_id, j.execution, j.status, j.retries_left, j.lost_leases,
  j.epoch, j.nonce, j.worker_id, j.seen_version, j.queue_id, j.limit_key, j.downstream, j.retry,
  j.status = 'leased' and j.lease_until <= (select millrace.clock()) as expired,
  coalesce(j.run_until <= (select millrace.clock()), false) as overran
from @jobs as x (instance_id text, execution integer)
join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
order by j.instance_id, j.execution
for update of j

-- name: listLiveJobs
select j.instance_id, j.execution
from @jobs as x (instance_id text, execution integer)
join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution

-- name: deleteJobs
with gone as (
  delete from millrace.jobs j
  using @jobs as x (instance_id text, execution integer)
  where j.instance_id = x.instance_id and j.execution = x.execution
  returning j.queue_id
)
insert into millrace.depth_deltas (queue_id, delta)
select queue_id, -count(*) from gone group by queue_id
returning queue_id

-- name: requeueJobs
-- A job with a limit key is held: it becomes ready when its limit has room.
update millrace.jobs j
set status = case when x.is_due and j.limit_key is null then 'ready' else 'held' end,
  seq = nextval('millrace.job_seq'),
  visible_at = case when not x.is_due then (select millrace.clock()) + x.delay_ms * interval '1 ms' end,
  waits_for = case when not x.is_due then x.waits_for end,
  held_reason = case when not x.is_due or j.limit_key is not null then x.reason end,
  retries_left = x.retries_left, lost_leases = x.lost_leases,
  nonce = case when x.keeps_token then j.nonce end, lease_until = null, run_until = null
from (
  -- What a run waits for may have come while it was on its way to wait.
  select w.*, coalesce(w.delay_ms = 0, false) or w.waits_for is not null and exists (
    select from millrace.signals s
    where s.instance_id = w.instance_id and s.name = any(string_to_array(w.waits_for, E'\n')) and s.taken_by is null
  ) as is_due
  from @jobs as w (
    instance_id text, execution integer, delay_ms bigint, retries_left integer, lost_leases integer,
    keeps_token boolean, waits_for text, reason text
  )
) x
where j.instance_id = x.instance_id and j.execution = x.execution
returning j.queue_id, j.status

-- name: spendRetries
update millrace.jobs j set retries_left = x.retries_left
from @jobs as x (instance_id text, execution integer, retries_left integer)
where j.instance_id = x.instance_id and j.execution = x.execution

-- name: heartbeatJobs
with beats as (
  select x.*
  from @beats as x (
      instance_id text, execution integer, epoch integer, nonce uuid, worker_id text, lease_ms integer
    ),
    -- One job that another transaction holds for long must not keep the other heartbeats waiting.
    (select set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '1s', true)) as relaxed
)
update millrace.jobs j
-- A heartbeat does not shorten a lease without an end (Kafka's).
set lease_until = case when j.lease_until = millrace.endless() then j.lease_until
  else least((select millrace.clock()) + coalesce(x.lease_ms, j.lease_ms) * interval '1 ms', j.run_until) end
from beats x
where j.instance_id = x.instance_id and j.execution = x.execution and j.status = 'leased'
  and case when x.nonce is null then j.worker_id = x.worker_id else j.epoch = x.epoch and j.nonce = x.nonce end
returning j.instance_id, j.execution, j.epoch, j.nonce, j.worker_id,
  least(j.lease_until, (select millrace.clock()) + coalesce(x.lease_ms, j.lease_ms) * interval '1 ms') as lease_until

-- name: listEndedLeases
-- Candidates only: `lockFreeJobs` and `lockJobs` decide again, under lock, by the same condition.
select j.instance_id, j.execution, j.epoch, j.lease_until, j.claimed_at
from millrace.jobs j
where j.status = 'leased' and j.lease_until >= @since::timestamptz and j.lease_until <= (select millrace.clock())
order by j.lease_until
limit @limit offset @passed

-- name: releaseHeld
-- A job with a limit key stays held: its time has come, and it becomes ready when its limit has room.
with due as materialized (
  select instance_id, execution from millrace.jobs
  where status = 'held' and visible_at <= (select millrace.clock())
  order by visible_at
  limit @limit
  for update skip locked
)
update millrace.jobs j
set status = case when j.limit_key is null then 'ready' else 'held' end,
  seq = nextval('millrace.job_seq'), visible_at = null, waits_for = null,
  held_reason = case when j.limit_key is null then j.held_reason else 'limit' end
from due
where j.instance_id = due.instance_id and j.execution = due.execution
returning j.queue_id, j.limit_key

-- name: releaseLinked
with linked as materialized (
  select j.instance_id, j.execution
  from millrace.instances i join millrace.jobs j on j.instance_id = i.id
  where i.linking_id = @linkingId and j.status = 'held' and j.visible_at is not null
  for update of j skip locked
)
update millrace.jobs j
set status = 'ready', seq = nextval('millrace.job_seq'), visible_at = null, waits_for = null
from linked
where j.instance_id = linked.instance_id and j.execution = linked.execution
returning j.queue_id

-- name: findJob
select instance_id, execution, status, epoch, nonce, worker_id
from millrace.live_jobs_of(@instance_id)
where execution = @execution

-- name: listHolders, planned by index
select execution, worker_id from millrace.jobs where instance_id = @instanceId and status = 'leased'
