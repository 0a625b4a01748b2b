-- What SQL has asked for.

-- name: insertEndings
insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at)
select 'ending', x.instance_id, x.arguments, 'engine', t.now, t.now
from unnest($1::text[], $2::jsonb[]) as x (instance_id, arguments), (select millrace.clock() as now) t

-- name: lockNextRequests
select seq, verb, instance_id, arguments, actor, failures
from millrace.requests
where set_aside_at is null and next_at <= (select millrace.clock())
order by next_at, seq
limit $1
for update skip locked

-- name: deleteRequest
delete from millrace.requests where seq = $1

-- name: postponeRequest
update millrace.requests
set failures = failures + 1, last_error = $2, next_at = (select millrace.clock()) + least(60000, 1000 * 2 ^ least(failures, 6)) * interval '1 ms',
  set_aside_at = case when $3 then (select millrace.clock()) end
where seq = $1

-- name: pruneRequests
delete from millrace.requests where set_aside_at < (select millrace.clock()) - $1::bigint * interval '1 ms'
