-- Intake: the key decides, in the statement that also writes the run.

-- name: insertIntake, planned by index
with asked as materialized (
  -- Another transaction may hold one of the keys: the wait for it has an end.
  select x.* from (
    select set_config('lock_timeout', coalesce(@lockTimeout, current_setting('lock_timeout')), true)
  ) as patience, @rows as x (key text, id text, definition_id text, definition_version integer, priority text,
    linking_id text, parent_id text, input jsonb, state json, version integer, queue_id integer, retries integer,
    started_at timestamptz, deadline_ms bigint, actor text, trace_context text)
),
fresh as (
  insert into millrace.intake_keys (definition_id, key, instance_id) select definition_id, key, id from asked
  on conflict (definition_id, key) do nothing
  returning instance_id
),
-- Submissions whose key is new. The rest of the statement is about them.
accepted as materialized (select asked.* from fresh join asked on asked.id = fresh.instance_id),
started as (
  insert into millrace.instances (id, definition_id, definition_version, status, priority, linking_id, parent_id,
    input, state, version, reads_variables, started_at, trace_context)
  select id, definition_id, definition_version, 'ACTIVE', priority, linking_id, parent_id,
    input, state, version, false, started_at, trace_context from accepted
),
dispatched as (
  insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at,
    downstream) select id, 1, queue_id, 'ready', nextval('millrace.job_seq'), definition_id, retries, started_at,
    nullif((select q.downstream from millrace.queues q where q.id = queue_id), '') from accepted
),
counted as (insert into millrace.depth_deltas (queue_id, delta)
  select queue_id, count(*) from accepted group by queue_id),
timed as (
  insert into millrace.timers (instance_id, execution, timer, due_at) select id, 0, 'deadline',
    (select millrace.clock()) + deadline_ms * interval '1 ms' from accepted where deadline_ms is not null
),
audited as (
  insert into millrace.audit (instance_id, seq, at, actor, kind, detail, more) select id, 1, started_at, actor,
    'INSTANCE_STARTED', json_build_object('definitionId', definition_id, 'version', definition_version),
    json_build_array(json_build_object('kind', 'JOB_DISPATCHED', 'actor', 'engine', 'detail', json_build_object(
      'stepId', definition_id, 'via', 'polling'))) from accepted where @audited
)
select count(*)::integer as fresh from accepted

-- name: insertIntakeKeys
insert into millrace.intake_keys (definition_id, key, instance_id)
select * from @keys as x (definition_id text, key text, instance_id text)
on conflict (definition_id, key) do nothing
returning instance_id

-- name: findIntake
select instance_id from millrace.intake_keys where definition_id = @definitionId and key = @key

-- name: compareIntake
select k.instance_id, coalesce(i.input, f.input) = @input::jsonb as same
from millrace.intake_keys k
left join millrace.instances i on i.id = k.instance_id
left join millrace.finished_instances f on f.id = k.instance_id
where k.definition_id = @definitionId and k.key = @key

-- name: listKeyed, planned by index
-- In the order of the primary key. A filter that nearly nothing matches reads no further than the bound it is given.
with looked as materialized (
  select key, instance_id, row_number() over (order by key) as n
  from millrace.intake_keys
  where definition_id = @definitionId and key > @afterKey and key >= @fromKey and key < @beforeKey
  order by key
  limit @lookAt
)
select l.key, r.*, l.n = @lookAt as is_last
from looked l
left join lateral (
  select i.*, (@status::text is null or i.status = @status)
    and (@businessKey::text is null or i.business_key = @businessKey)
    and (@version::integer is null or i.definition_version = @version) and i.id > @afterId and i.id < @beforeId
    as matches
  from (
    select id, definition_id, definition_version, status, business_key, linking_id, parent_id, priority, state,
      coalesce(variables, input) as variables, started_at, null::timestamptz as completed_at,
      null::text as failure_reason, version
    from millrace.instances where id = l.instance_id
    union all
    select id, definition_id, definition_version, status, business_key, linking_id, parent_id, priority, state,
      coalesce(variables, input) as variables, started_at, completed_at, failure_reason, version
    from millrace.finished_instances where id = l.instance_id
  ) i
) r on true
-- The last that was looked at says where to go on, also where it does not match.
where r.matches or l.n = @lookAt
order by l.n
limit @limit

-- name: listChildren, planned by index
select x.step, k.instance_id
from @asked as x (step text, definition_id text, key text)
join millrace.intake_keys k on k.definition_id = x.definition_id and k.key = x.key
