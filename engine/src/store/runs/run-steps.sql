-- The steps of runs, as their workers recorded them.

-- name: recordSteps, planned by index
-- The lease is checked and held in the same statement: a worker that has lost its run records nothing more.
with mine as materialized (
  select x.* from unnest(
      $1::text[], $2::integer[], $3::integer[], $4::uuid[], $5::text[], $6::text[], $7::json[], $8::text[], $9::integer[], $10::timestamptz[]
    ) with ordinality as x (instance_id, execution, epoch, nonce, name, status, value, error, list_version, started_at, place)
  join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
  where j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce
  order by x.instance_id
  for update of j
),
recorded as (
  insert into millrace.run_steps (instance_id, name, status, value, error, list_version, started_at, ended_at)
  select instance_id, name, status, value, error, list_version, started_at, (select millrace.clock()) from mine
  on conflict (instance_id, name) do update
  set status = excluded.status, value = excluded.value, error = excluded.error, list_version = excluded.list_version, ended_at = excluded.ended_at
)
select place::integer from mine

-- name: insertRunSteps
insert into millrace.run_steps (instance_id, name, status, value, error, list_version, started_at, ended_at)
select * from unnest($1::text[], $2::text[], $3::text[], $4::json[], $5::text[], $6::integer[], $7::timestamptz[], $8::timestamptz[])
on conflict (instance_id, name) do update
set status = excluded.status, value = excluded.value, error = excluded.error, list_version = excluded.list_version, ended_at = excluded.ended_at

-- name: listRunSteps
select name, status, value, error, list_version, started_at, ended_at
from millrace.run_steps
where instance_id = $1
order by ended_at, name

-- name: listFailedSteps
select instance_id, name, error, ended_at
from millrace.run_steps
where status = 'FAILED' and name = $1 and instance_id > $2
order by instance_id
limit $3
