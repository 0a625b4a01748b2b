-- Live instances. Finished ones are in finished-instances.sql.

-- name: insertInstances
insert into millrace.instances (
  id, definition_id, definition_version, status, priority, business_key, linking_id, parent_id,
  input, variables, state, version, reads_variables, started_at, trace_context
)
select * from @instances as x (
  id text, definition_id text, definition_version integer, status text, priority text, business_key text,
  linking_id text, parent_id text, input jsonb, variables jsonb, state json, version integer, reads_variables boolean,
  started_at timestamptz, trace_context text
)

-- name: lockInstances
-- The variables of a batch are read until they are @maxBytes together: the instances behind that are left out.
with locked as materialized (
  select i.id, i.definition_id, i.definition_version, i.status, i.priority, i.business_key, i.version, i.state,
    case when i.reads_variables then coalesce(i.variables, i.input) end as variables
  from millrace.instances i
  where i.id = any(@ids::text[])
  order by i.id
  for update skip locked
),
-- The bound that the state carries; a version before it has written none, and the stored size may be a compressed one.
measured as (
  select l.*, sum(case when l.variables is not null
    then coalesce((l.state ->> 'bytes')::integer, pg_column_size(l.variables)) end) over (order by l.id) as bytes,
    row_number() over (order by l.id) as place
  from locked l
)
select m.id, m.definition_id, m.definition_version, m.status, m.priority, m.business_key, m.version, m.state,
  case when not x.is_left_out then m.variables end as variables, x.is_left_out, (select millrace.clock()) as now
from measured m,
  lateral (select m.variables is not null and m.place > 1 and m.bytes > @maxBytes::bigint as is_left_out) x
order by m.id

-- name: lockInstance
select i.id, i.definition_id, i.definition_version, i.status, i.priority, i.business_key, i.version, i.state,
  case when i.reads_variables then coalesce(i.variables, i.input) end as variables, false as is_left_out,
  (select millrace.clock()) as now
from millrace.instances i
where i.id = @id
for update

-- name: readVariables
select coalesce(variables, input) as variables from millrace.instances where id = @id

-- name: listLiveIds
select id from millrace.instances where id = any(@ids::text[])

-- name: updateInstances
update millrace.instances i
set status = x.status, state = x.state, version = x.version,
  variables = case when x.delta is null then i.variables else coalesce(i.variables, i.input) || x.delta end
from @instances as x (id text, status text, state json, version integer, delta jsonb)
where i.id = x.id

-- name: finishInstances
with gone as (
  delete from millrace.instances i
  using @instances as x (
    id text, status text, state json, version integer, delta jsonb, completed_at timestamptz, failure_reason text,
    failure text, undone_by text
  )
  where i.id = x.id
  returning i.id, i.definition_id, i.definition_version, x.status, i.priority, i.business_key,
    i.linking_id, i.parent_id, i.input,
    case when x.delta is null then i.variables else coalesce(i.variables, i.input) || x.delta end,
    x.state, x.version, i.reads_variables, i.started_at, x.completed_at, x.failure_reason, x.failure, i.trace_context,
    x.undone_by
)
insert into millrace.finished_instances (
  id, definition_id, definition_version, status, priority, business_key, linking_id, parent_id, input,
  variables, state, version, reads_variables, started_at, completed_at, failure_reason, failure, trace_context,
  undone_by
)
select * from gone

-- name: setLinkingIds
update millrace.instances i set linking_id = x.linking_id
from @instances as x (id text, linking_id text)
where i.id = x.id

-- name: findInstance
select i.*, (select k.key from millrace.intake_keys k where k.instance_id = i.id limit 1) as key,
  (select r.restart_of from millrace.restarts r where r.instance_id = i.id) as restart_of,
  (select max(r.instance_id) from millrace.restarts r where r.restart_of = i.id) as restarted_as
from (
  select id, definition_id, definition_version, status, business_key, linking_id, parent_id, priority, state,
    coalesce(variables, input) as variables, case when variables is not null then input end as input,
    started_at, null::timestamptz as completed_at, null::text as failure_reason, version, null::text as undone_by
  from millrace.instances where id = @id
  union all
  select id, definition_id, definition_version, status, business_key, linking_id, parent_id, priority, state,
    coalesce(variables, input) as variables, case when variables is not null then input end as input,
    started_at, completed_at, failure_reason, version, undone_by
  from millrace.finished_instances where id = @id
  limit 1
) i
