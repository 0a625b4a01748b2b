-- Finished step executions and the deliveries that ended before them. Appended, never updated.

-- name: insertHistory
insert into millrace.history (
  instance_id, execution, step_id, step_type, attempt, status, started_at, ended_at, failure_reason, delta,
  seq, seen_version, epoch, nonce, worker_id, verb, detail
)
select * from @entries as x (
  instance_id text, execution integer, step_id text, step_type text, attempt integer, status text,
  started_at timestamptz, ended_at timestamptz, failure_reason text, delta json, seq integer, seen_version integer,
  epoch integer, nonce uuid, worker_id text, verb text, detail json
)

-- name: insertAttempts
insert into millrace.attempts (instance_id, execution, epoch, outcome, nonce, worker_id, error, ended_at, step, detail)
select * from @entries as x (
  instance_id text, execution integer, epoch integer, outcome text, nonce uuid, worker_id text, error text,
  ended_at timestamptz, step text, detail json
)
-- A worker that was given up for lost may still say how its attempt ended.
on conflict (instance_id, execution, epoch) do update
set outcome = excluded.outcome, error = excluded.error, ended_at = excluded.ended_at, step = excluded.step,
  detail = excluded.detail

-- name: listHistory
select execution, step_id, step_type, attempt, status, started_at, ended_at, failure_reason, delta,
  seq, seen_version, worker_id, detail
from millrace.history
where instance_id = @instanceId
order by execution

-- name: listAttempts, planned by index
select execution, epoch, outcome, worker_id, error, ended_at, step, detail
from millrace.attempts
where instance_id = @instanceId and outcome in ('failed', 'timed-out', 'lost')
order by execution desc, epoch desc
limit @limit

-- name: listReports
select x.instance_id, x.execution, h.status, h.verb, h.epoch, h.nonce, h.worker_id,
  a.epoch as attempt_epoch, a.outcome as attempt_outcome, a.nonce as attempt_nonce, a.worker_id as attempt_worker_id
from @jobs as x (instance_id text, execution integer, epoch integer)
left join millrace.history h on h.instance_id = x.instance_id and h.execution = x.execution
left join lateral (
  select * from millrace.attempts a
  where a.instance_id = x.instance_id and a.execution = x.execution and (x.epoch is null or a.epoch = x.epoch)
  order by a.epoch desc
  limit 1
) a on true

-- name: listLostLeases
-- The last delivery to this worker that was given up for lost and was never reported on.
select x.instance_id, x.execution, a.epoch, a.nonce, a.worker_id, a.epoch = a.last as is_last
from @reports as x (instance_id text, execution integer, worker_id text)
cross join lateral (
  select a.epoch, a.nonce, a.worker_id, a.outcome, max(a.epoch) over () as last from millrace.attempts a
  where a.instance_id = x.instance_id and a.execution = x.execution and a.worker_id = x.worker_id
  order by a.outcome = 'lost' desc, a.epoch desc
  limit 1
) a
where a.outcome = 'lost'
