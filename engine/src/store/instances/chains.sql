-- Workflows that start the next one.

-- name: insertChains
insert into millrace.chains (parent_id, definition_id, variables, business_key, priority, created_at, next_at)
select x.*, x.created_at
from unnest($1::text[], $2::text[], $3::jsonb[], $4::text[], $5::text[], $6::timestamptz[])
  as x (parent_id, definition_id, variables, business_key, priority, created_at)

-- name: lockPendingChain
select c.parent_id, c.definition_id, c.variables, c.business_key, c.priority,
  (select p.trace_context from millrace.finished_instances p where p.id = c.parent_id) as trace_context
from millrace.chains c
where c.child_id is null and c.next_at <= (select millrace.clock())
order by c.next_at
limit 1
for update of c skip locked

-- name: finishChain
update millrace.chains set child_id = $2, variables = '{}' where parent_id = $1

-- name: postponeChain
update millrace.chains
set failures = failures + 1, last_error = $2, next_at = (select millrace.clock()) + least(60000, 1000 * 2 ^ least(failures, 6)) * interval '1 ms'
where parent_id = $1
