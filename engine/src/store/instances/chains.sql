-- Workflows that start the next one.

-- name: insertChains
insert into millrace.chains (parent_id, definition_id, variables, business_key, priority, created_at, next_at)
select x.*, x.created_at
from @chains as x (
  parent_id text, definition_id text, variables jsonb, business_key text, priority text, created_at timestamptz
)

-- name: lockPendingChain
select c.parent_id, c.definition_id, c.variables, c.business_key, c.priority,
  (select p.trace_context from millrace.finished_instances p where p.id = c.parent_id) as trace_context
from millrace.chains c
where c.child_id is null and c.next_at <= (select millrace.clock())
order by c.next_at
limit 1
for update of c skip locked

-- name: finishChain
update millrace.chains set child_id = @childId, variables = '{}' where parent_id = @parentId

-- name: postponeChain
update millrace.chains
set failures = failures + 1, last_error = @error,
  next_at = millrace.next_try(failures)
where parent_id = @parentId
