-- Finished step executions and the deliveries that ended before them. Appended, never updated.

-- name: insertHistory
insert into millrace.history (
  instance_id, execution, step_id, step_type, attempt, status, started_at, ended_at, failure_reason, delta,
  seq, seen_version, epoch, nonce, worker_id, verb
)
select * from unnest(
  $1::text[], $2::integer[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::text[], $10::json[],
  $11::integer[], $12::integer[], $13::integer[], $14::uuid[], $15::text[], $16::text[]
)

-- name: insertAttempts
insert into millrace.attempts (instance_id, execution, epoch, outcome, nonce, worker_id, error, ended_at)
select * from unnest($1::text[], $2::integer[], $3::integer[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::timestamptz[])
-- A worker that was given up for lost may still say how its attempt ended.
on conflict (instance_id, execution, epoch) do update
set outcome = excluded.outcome, error = excluded.error, ended_at = excluded.ended_at

-- name: listHistory
select execution, step_id, step_type, attempt, status, started_at, ended_at, failure_reason, delta, seq, seen_version, worker_id
from millrace.history
where instance_id = $1
order by execution

-- name: listAttempts, planned by index
select execution, epoch, outcome, worker_id, error, ended_at
from millrace.attempts
where instance_id = $1 and outcome in ('failed', 'timed-out', 'lost')
order by execution desc, epoch desc
limit $2

-- name: listReports
select x.instance_id, x.execution, h.status, h.verb, h.epoch, h.nonce, h.worker_id,
  a.epoch as attempt_epoch, a.outcome as attempt_outcome, a.nonce as attempt_nonce, a.worker_id as attempt_worker_id
from unnest($1::text[], $2::integer[], $3::integer[]) as x (instance_id, execution, epoch)
left join millrace.history h on h.instance_id = x.instance_id and h.execution = x.execution
left join lateral (
  select * from millrace.attempts a
  where a.instance_id = x.instance_id and a.execution = x.execution and (x.epoch is null or a.epoch = x.epoch)
  order by a.epoch desc
  limit 1
) a on true
