-- Timers that have not fired. A row goes when it fires or when its step ends.

-- name: insertTimers
insert into millrace.timers (instance_id, execution, timer, due_at)
select x.instance_id, x.execution, x.timer, (select millrace.clock()) + x.due_in_ms * interval '1 ms'
from @timers as x (instance_id text, execution integer, timer text, due_in_ms bigint)

-- name: deleteTimersOfSteps
delete from millrace.timers t
using @steps as x (instance_id text, execution integer)
where t.instance_id = x.instance_id and t.execution = x.execution

-- name: listDueTimers
select t.instance_id, t.execution, t.timer, t.due_at from millrace.timers t
where t.due_at <= (select millrace.clock()) and (t.retry_at is null or t.retry_at <= (select millrace.clock()))
order by t.due_at
limit @limit

-- name: listDueAmong
select t.instance_id, t.execution, t.timer
from @timers as x (instance_id text, execution integer, timer text)
join millrace.timers t on t.instance_id = x.instance_id and t.execution = x.execution and t.timer = x.timer
where t.due_at <= (select millrace.clock())

-- name: postponeTimers
-- One that only had to wait for a lock has not failed; it does not hide those behind it either.
update millrace.timers t
set failures = t.failures + (x.error is not null)::integer, last_error = coalesce(x.error, t.last_error),
  retry_at = millrace.next_try(case when x.error is null then 0 else t.failures end)
from @timers as x (instance_id text, execution integer, timer text, error text)
where t.instance_id = x.instance_id and t.execution = x.execution and t.timer = x.timer

-- name: deleteTimers
delete from millrace.timers t
using @timers as x (instance_id text, execution integer, timer text)
where t.instance_id = x.instance_id and t.execution = x.execution and t.timer = x.timer

-- name: deleteOrphanTimers
delete from millrace.timers t
using @timers as x (instance_id text, execution integer, timer text)
where t.instance_id = x.instance_id and t.execution = x.execution and t.timer = x.timer
  -- One that was retried meanwhile is live again, with timers of its own.
  and not exists (select from millrace.instances i where i.id = t.instance_id)

-- name: listTimers
select execution, timer, due_at, failures, last_error, retry_at
from millrace.timers
where instance_id = @instanceId
order by due_at
