-- Requests that callers of the SQL functions have made.

-- name: insertEndings
insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at)
select 'ending', x.instance_id, x.arguments, 'engine', t.now, t.now
from @endings as x (instance_id text, arguments jsonb), (select millrace.clock() as now) t

-- name: insertChildCancels
-- The run that undoes the parent is no child that goes with it.
insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at)
select 'cancel_child', i.id, jsonb_build_object('reason', 'its parent ' || x.id || ' has ended'), 'engine', t.now, t.now
from @parents as x (id text, undone_by text)
join millrace.instances i on i.parent_id = x.id and i.id is distinct from x.undone_by,
  (select millrace.clock() as now) t

-- name: lockNextRequests
select seq, verb, instance_id, arguments, actor, failures
from millrace.requests
where set_aside_at is null and next_at <= (select millrace.clock())
order by next_at, seq
limit @limit
for update skip locked

-- name: deleteRequest
delete from millrace.requests where seq = @seq

-- name: postponeRequest
update millrace.requests
set failures = failures + 1, last_error = @error,
  next_at = millrace.next_try(failures),
  set_aside_at = case when @setAside then (select millrace.clock()) end
where seq = @seq

-- name: pruneRequests
delete from millrace.requests where set_aside_at < (select millrace.clock()) - @olderThanMs::bigint * interval '1 ms'
