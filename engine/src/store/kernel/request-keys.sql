-- Keys of requests, each with the outcome of the request that came first. A row with a status was written by the
-- version before: it has the answer as it went over HTTP in place of the outcome. The view idempotency_keys shows that
-- version such rows only.

-- name: insertRequestKeys
insert into millrace.request_keys (scope, key, digest, outcome, created_at)
select k.scope, k.key, k.digest, k.outcome, (select millrace.clock())
from @keys as k (scope text, key text, digest bytea, outcome json)
order by 1, 2
on conflict do nothing
returning scope, key

-- name: deleteRequestKeys
delete from millrace.request_keys r
using @keys as k (scope text, key text)
where r.scope = k.scope and r.key = k.key

-- name: setOutcome
update millrace.request_keys set outcome = @outcome where scope = @scope and key = @key

-- name: findRequestKeys
select r.scope, r.key, r.digest, r.status, r.outcome
from @keys as k (scope text, key text)
join millrace.request_keys r on r.scope = k.scope and r.key = k.key

-- name: pruneRequestKeys
with gone as (
  delete from millrace.request_keys
  where (scope, key) in (
    select scope, key from millrace.request_keys
    where created_at < (select millrace.clock()) - @olderThanMs::bigint * interval '1 ms'
    order by created_at
    limit @atMost
  )
  returning 1
)
select count(*) as gone from gone
