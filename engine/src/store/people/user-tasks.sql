-- User tasks, open and closed.

-- name: insertUserTasks
insert into millrace.user_tasks (
  instance_id, execution, definition_id, definition_version, step_id, name, status, assignee, assignee_group, due_at, created_at
)
select x.instance_id, x.execution, x.definition_id, x.definition_version, x.step_id, x.name, 'OPEN', x.assignee, x.assignee_group,
  x.created_at + x.due_in_ms * interval '1 ms', x.created_at
from unnest(
  $1::text[], $2::integer[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::timestamptz[]
) as x (instance_id, execution, definition_id, definition_version, step_id, name, assignee, assignee_group, due_in_ms, created_at)

-- name: closeUserTasks
update millrace.user_tasks u
set status = x.status, completed_by = x.completed_by, completed_at = x.closed_at
from unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::timestamptz[]) as x (instance_id, execution, status, completed_by, closed_at)
where u.instance_id = x.instance_id and u.execution = x.execution and u.status = 'OPEN'

-- name: claimUserTask
update millrace.user_tasks set assignee = $3
where instance_id = $1 and execution = $2 and status = 'OPEN' and (assignee is null or assignee = $3)
returning status

-- name: findUserTask
select u.*, coalesce(i.variables, i.input, f.variables, f.input) as variables
from millrace.user_tasks u
left join millrace.instances i on i.id = u.instance_id
left join millrace.finished_instances f on f.id = u.instance_id
where u.instance_id = $1 and u.execution = $2

-- name: listUserTasks
select u.*, coalesce(i.variables, i.input, f.variables, f.input) as variables
from (
  select * from millrace.user_tasks
  where status = $1 and ($2::text is null or assignee = $2) and ($3::text is null or assignee_group = $3)
    and (instance_id, execution) > ($4, $5)
  order by instance_id, execution
  limit $6
) u
left join millrace.instances i on i.id = u.instance_id
left join millrace.finished_instances f on f.id = u.instance_id
order by u.instance_id, u.execution
