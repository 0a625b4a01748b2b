-- User tasks, open and closed.

-- name: insertUserTasks
insert into millrace.user_tasks (
  instance_id, execution, definition_id, definition_version, step_id, name, status, assignee,
  assignee_group, due_at, created_at
)
select x.instance_id, x.execution, x.definition_id, x.definition_version, x.step_id, x.name,
  'OPEN', x.assignee, x.assignee_group,
  x.created_at + x.due_in_ms * interval '1 ms', x.created_at
from @rows as x (
  instance_id text, execution integer, definition_id text, definition_version integer, step_id text, name text,
  assignee text, assignee_group text, due_in_ms bigint, created_at timestamptz
)

-- name: closeUserTasks
update millrace.user_tasks u
set status = x.status, completed_by = x.completed_by, completed_at = x.closed_at
from @rows as x (instance_id text, execution integer, status text, completed_by text, closed_at timestamptz)
where u.instance_id = x.instance_id and u.execution = x.execution and u.status = 'OPEN'

-- name: assignUserTask
-- Only from the holder that is named, where one is. A task without an assignee, or with that person already, may
-- go there.
update millrace.user_tasks set assignee = @to
where instance_id = @instanceId and execution = @execution and status = 'OPEN'
  and (@holder::text is null or assignee is null or assignee in (@holder, @to))
returning status

-- name: setUserTaskDue
update millrace.user_tasks set due_at = @dueAt::timestamptz
where instance_id = @instanceId and execution = @execution and status = 'OPEN'
returning status

-- name: findUserTask
select u.*, coalesce(i.variables, i.input, f.variables, f.input) as variables,
  coalesce(i.business_key, f.business_key) as business_key, coalesce(i.linking_id, f.linking_id) as linking_id,
  (select k.key from millrace.intake_keys k where k.instance_id = u.instance_id limit 1) as key
from millrace.user_tasks u
left join millrace.instances i on i.id = u.instance_id
left join millrace.finished_instances f on f.id = u.instance_id
where u.instance_id = @instanceId and u.execution = @execution

-- name: listUserTasks
select u.*, coalesce(i.variables, i.input, f.variables, f.input) as variables,
  coalesce(i.business_key, f.business_key) as business_key, coalesce(i.linking_id, f.linking_id) as linking_id,
  (select k.key from millrace.intake_keys k where k.instance_id = u.instance_id limit 1) as key
from (
  select * from millrace.user_tasks
  where status = @status and (@assignee::text is null or assignee = @assignee)
    and (@group::text is null or assignee_group = @group)
    and (instance_id, execution) > (@instanceId, @execution)
  order by instance_id, execution
  limit @limit
) u
left join millrace.instances i on i.id = u.instance_id
left join millrace.finished_instances f on f.id = u.instance_id
order by u.instance_id, u.execution

-- name: listOpenTasks
select execution, step_id, name, assignee, assignee_group, due_at, created_at
from millrace.user_tasks
where instance_id = @instanceId and status = 'OPEN'
order by execution
