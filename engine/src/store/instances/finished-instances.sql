-- Finished instances, partitioned by id.

-- name: insertFinishedInstances
insert into millrace.finished_instances (
  id, definition_id, definition_version, status, priority, business_key, linking_id, parent_id,
  input, variables, state, version, reads_variables, started_at, completed_at, failure_reason, failure, trace_context
)
select * from @instances as x (
  id text, definition_id text, definition_version integer, status text, priority text, business_key text,
  linking_id text, parent_id text, input jsonb, variables jsonb, state json, version integer, reads_variables boolean,
  started_at timestamptz, completed_at timestamptz, failure_reason text, failure text, trace_context text
)

-- name: lockFinishedInstance
select id, definition_id, definition_version, status, priority, business_key, linking_id, parent_id, version, state,
  input, variables, reads_variables, started_at, trace_context, undone_by, (select millrace.clock()) as now
from millrace.finished_instances
where id = @id
for update

-- name: deleteFinishedInstance
delete from millrace.finished_instances where id = @id

-- name: listInstances, planned anew
select both_kinds.*, (select k.key from millrace.intake_keys k where k.instance_id = both_kinds.id limit 1) as key
from (
  (select id, definition_id, definition_version, status, business_key, linking_id, parent_id, priority, state,
    coalesce(variables, input) as variables, started_at, null::timestamptz as completed_at,
    null::text as failure_reason, version, null::text as undone_by
  from millrace.instances
  where (@definitionId::text is null or definition_id = @definitionId) and (@status::text is null or status = @status)
    and (@businessKey::text is null or business_key = @businessKey)
    and (@version::integer is null or definition_version = @version) and id > @afterId and id < @beforeId
    and @failure::text is null and coalesce(@status, 'ACTIVE') in ('ACTIVE', 'WAITING')
  order by id desc limit @read)
  union all
  (select id, definition_id, definition_version, status, business_key, linking_id, parent_id, priority, state,
    coalesce(variables, input) as variables, started_at, completed_at, failure_reason, version, undone_by
  from millrace.finished_instances
  where (@definitionId::text is null or definition_id = @definitionId) and (@status::text is null or status = @status)
    and (@businessKey::text is null or business_key = @businessKey)
    and (@version::integer is null or definition_version = @version) and id > @afterId and id < @beforeId
    and (@failure::text is null or failure = @failure) and coalesce(@status, 'FAILED') not in ('ACTIVE', 'WAITING')
  order by id desc limit @read)
) both_kinds
order by id desc
limit @read - @offset::bigint offset @offset

-- name: countInstances, planned anew
select
  (select count(*) from (select from millrace.instances
    where (@definitionId::text is null or definition_id = @definitionId) and (@status::text is null or status = @status)
      and (@businessKey::text is null or business_key = @businessKey)
      and (@version::integer is null or definition_version = @version) and id > @afterId and id < @beforeId
      and @failure::text is null and coalesce(@status, 'ACTIVE') in ('ACTIVE', 'WAITING')
    limit @cap) live)
  + (select count(*) from (select from millrace.finished_instances
    where (@definitionId::text is null or definition_id = @definitionId) and (@status::text is null or status = @status)
      and (@businessKey::text is null or business_key = @businessKey)
      and (@version::integer is null or definition_version = @version) and id > @afterId and id < @beforeId
      and (@failure::text is null or failure = @failure) and coalesce(@status, 'FAILED') not in ('ACTIVE', 'WAITING')
    limit @cap) finished)
  as total

-- name: bumpFinishedVersion
update millrace.finished_instances set version = version + 1 where id = @id returning version
