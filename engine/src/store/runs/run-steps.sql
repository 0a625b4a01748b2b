-- The steps of runs, as their workers recorded them.

-- name: recordSteps, planned by index
-- The lease is checked and held in the same statement: a worker that has lost its run records nothing more.
with mine as materialized (
  select x.* from @steps with ordinality as x (
    instance_id text, execution integer, epoch integer, nonce uuid, name text, status text, value json, error text,
    list_version integer, undo boolean, started_at timestamptz, detail json, place
  )
  join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
  where j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce
  order by x.instance_id
  for update of j
),
recorded as (
  insert into millrace.run_steps (
    instance_id, name, status, value, error, list_version, undo, started_at, ended_at, detail
  )
  select instance_id, name, status, value, error, list_version, undo, started_at, (select millrace.clock()), detail
  from mine
  on conflict (instance_id, name) do update
  set status = excluded.status, value = excluded.value, error = excluded.error,
    list_version = excluded.list_version, undo = excluded.undo, ended_at = excluded.ended_at, seq = excluded.seq,
    detail = coalesce(excluded.detail, run_steps.detail)
)
select place::integer from mine

-- name: insertRunSteps
insert into millrace.run_steps (
  instance_id, name, status, value, error, list_version, undo, started_at, ended_at, detail
)
select * from @steps as x (
  instance_id text, name text, status text, value json, error text, list_version integer, undo boolean,
  started_at timestamptz, ended_at timestamptz, detail json
)
on conflict (instance_id, name) do update
set status = excluded.status, value = excluded.value, error = excluded.error,
  list_version = excluded.list_version, undo = excluded.undo, ended_at = excluded.ended_at, seq = excluded.seq,
  detail = coalesce(excluded.detail, run_steps.detail)

-- name: copyRunSteps
-- What another run has done is not this run's to undo.
insert into millrace.run_steps (
  instance_id, name, status, value, error, list_version, undo, started_at, ended_at, detail
)
select @to, name, status, value, error, list_version, false, started_at, ended_at, detail
from millrace.run_steps
where instance_id = @from and name = any(@names::text[])
order by seq nulls first, ended_at, name

-- name: listRunSteps
select name, status, value, error, list_version, undo, started_at, ended_at, detail
from millrace.run_steps
where instance_id = @instanceId
order by seq nulls first, ended_at, name

-- name: countStepAttempts, planned by index
-- The attempts at a run by the step that each ended at; one that was parked counts where it broke off in a step.
-- A lost worker has not said at which: those since the last step was recorded count for the step that comes next.
select a.step, count(*) as attempts, count(*) filter (where a.outcome in ('failed', 'timed-out')) as failures
from millrace.attempts a
where a.instance_id = @instanceId and a.execution = @execution
  and (a.step is not null or a.outcome = 'lost' and a.ended_at > coalesce((
    select max(s.ended_at) from millrace.run_steps s
    where s.instance_id = @instanceId and s.status <> 'WAITING'
  ), '-infinity'))
group by a.step

-- name: listFailedSteps, planned by index
-- A name may be that of many workflows: so many are looked at, and the page after goes on from there.
-- A wait that was not answered in time and went to another step has that step as its value: that is no failure.
with looked as materialized (
  select instance_id, name, error, ended_at, value is null as is_failure, row_number() over (order by instance_id) as n
  from millrace.run_steps
  where status = 'FAILED' and name = @name and instance_id > @after
  order by instance_id
  limit @lookAt
)
select l.instance_id, l.name, l.error, l.ended_at, l.is_failure and r.definition_id = @definitionId as matches,
  l.n = @lookAt as is_last
from looked l
left join lateral (
  select definition_id from millrace.instances where id = l.instance_id
  union all
  select definition_id from millrace.finished_instances where id = l.instance_id
) r on true
where l.is_failure and r.definition_id = @definitionId or l.n = @lookAt
order by l.n
limit @limit
