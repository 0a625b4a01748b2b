-- The steps of runs, as their workers recorded them.

-- name: recordSteps, planned by index
-- The lease is checked and held in the same statement: a worker that has lost its run records nothing more.
with mine as materialized (
  select x.* from @steps with ordinality as x (
    instance_id text, execution integer, epoch integer, nonce uuid, name text, status text, value json, error text,
    list_version integer, started_at timestamptz, place
  )
  join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
  where j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce
  order by x.instance_id
  for update of j
),
recorded as (
  insert into millrace.run_steps (instance_id, name, status, value, error, list_version, started_at, ended_at)
  select instance_id, name, status, value, error, list_version, started_at, (select millrace.clock()) from mine
  on conflict (instance_id, name) do update
  set status = excluded.status, value = excluded.value, error = excluded.error,
    list_version = excluded.list_version, ended_at = excluded.ended_at
)
select place::integer from mine

-- name: insertRunSteps
insert into millrace.run_steps (instance_id, name, status, value, error, list_version, started_at, ended_at)
select * from @steps as x (
  instance_id text, name text, status text, value json, error text, list_version integer,
  started_at timestamptz, ended_at timestamptz
)
on conflict (instance_id, name) do update
set status = excluded.status, value = excluded.value, error = excluded.error,
  list_version = excluded.list_version, ended_at = excluded.ended_at

-- name: listRunSteps
select name, status, value, error, list_version, started_at, ended_at
from millrace.run_steps
where instance_id = @instanceId
order by ended_at, name

-- name: listFailedSteps
select instance_id, name, error, ended_at
from millrace.run_steps
where status = 'FAILED' and name = @name and instance_id > @after
order by instance_id
limit @limit
