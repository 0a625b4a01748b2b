-- Work of the loops for one instance that has failed.

-- name: listFailing
select 'chain' as what, c.failures, c.last_error as reason, c.next_at as due_at, c.created_at as since
from millrace.chains c
where c.parent_id = @instanceId and c.child_id is null and c.failures > 0
union all
-- One that was given up is not tried again by itself.
select 'request', r.failures, r.last_error, case when r.set_aside_at is null then r.next_at end, r.created_at
from millrace.requests r
where r.instance_id = @instanceId and r.failures > 0
order by since
limit 20
