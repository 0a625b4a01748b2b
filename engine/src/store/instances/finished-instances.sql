-- Finished instances, partitioned by id.

-- name: insertFinishedInstances
insert into millrace.finished_instances (
  id, definition_id, definition_version, status, priority, business_key, linking_id, parent_id,
  input, variables, state, version, reads_variables, started_at, completed_at, failure_reason, failure, trace_context
)
select * from unnest(
  $1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
  $9::jsonb[], $10::jsonb[], $11::json[], $12::integer[], $13::boolean[], $14::timestamptz[], $15::timestamptz[], $16::text[], $17::text[],
  $18::text[]
)

-- name: lockFinishedInstance
select id, definition_id, definition_version, status, priority, business_key, linking_id, parent_id, version, state,
  input, variables, reads_variables, started_at, trace_context, (select millrace.clock()) as now
from millrace.finished_instances
where id = $1
for update

-- name: deleteFinishedInstance
delete from millrace.finished_instances where id = $1

-- name: listInstances, planned anew
select * from (
  (select id, definition_id, definition_version, status, business_key, linking_id, parent_id, priority, state,
    coalesce(variables, input) as variables, started_at, null::timestamptz as completed_at, null::text as failure_reason, version
  from millrace.instances
  where ($1::text is null or definition_id = $1) and ($2::text is null or status = $2) and ($3::text is null or business_key = $3)
    and ($4::integer is null or definition_version = $4) and id > $5 and id < $6 and $7::text is null
      and coalesce($2, 'ACTIVE') in ('ACTIVE', 'WAITING')
  order by id desc limit $8)
  union all
  (select id, definition_id, definition_version, status, business_key, linking_id, parent_id, priority, state,
    coalesce(variables, input) as variables, started_at, completed_at, failure_reason, version
  from millrace.finished_instances
  where ($1::text is null or definition_id = $1) and ($2::text is null or status = $2) and ($3::text is null or business_key = $3)
    and ($4::integer is null or definition_version = $4) and id > $5 and id < $6 and ($7::text is null or failure = $7)
      and coalesce($2, 'FAILED') not in ('ACTIVE', 'WAITING')
  order by id desc limit $8)
) both_kinds
order by id desc
limit $8 - $9::bigint offset $9

-- name: countInstances, planned anew
select
  (select count(*) from (select from millrace.instances
    where ($1::text is null or definition_id = $1) and ($2::text is null or status = $2) and ($3::text is null or business_key = $3)
      and ($4::integer is null or definition_version = $4) and id > $5 and id < $6 and $7::text is null
      and coalesce($2, 'ACTIVE') in ('ACTIVE', 'WAITING') limit $8) live)
  + (select count(*) from (select from millrace.finished_instances
    where ($1::text is null or definition_id = $1) and ($2::text is null or status = $2) and ($3::text is null or business_key = $3)
      and ($4::integer is null or definition_version = $4) and id > $5 and id < $6 and ($7::text is null or failure = $7)
      and coalesce($2, 'FAILED') not in ('ACTIVE', 'WAITING') limit $8) finished)
  as total

-- name: bumpFinishedVersion
update millrace.finished_instances set version = version + 1 where id = $1 returning version
