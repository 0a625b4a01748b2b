-- Keys that must be unique: business keys among unfinished instances, idempotency keys of requests.

-- name: insertBusinessKeys
insert into millrace.business_keys (definition_id, business_key, instance_id)
select * from @keys as x (definition_id text, business_key text, instance_id text)
order by 1, 2
on conflict do nothing
returning instance_id

-- name: deleteBusinessKeys
delete from millrace.business_keys b
using @keys as x (definition_id text, business_key text, instance_id text)
where b.definition_id = x.definition_id and b.business_key = x.business_key and b.instance_id = x.instance_id

-- name: insertIdempotencyKeys
insert into millrace.idempotency_keys (scope, key, digest, status, answer, created_at)
select x.scope, x.key, x.digest, x.status, x.answer, (select millrace.clock())
from @keys as x (scope text, key text, digest bytea, status integer, answer json)
order by 1, 2
on conflict do nothing
returning scope, key

-- name: deleteIdempotencyKeys
delete from millrace.idempotency_keys k
using @keys as x (scope text, key text)
where k.scope = x.scope and k.key = x.key

-- name: answerIdempotencyKey
update millrace.idempotency_keys set status = @status, answer = @body where scope = @scope and key = @key

-- name: findIdempotencyKeys
select k.scope, k.key, k.digest, k.status, k.answer
from @keys as x (scope text, key text)
join millrace.idempotency_keys k on k.scope = x.scope and k.key = x.key

-- name: pruneIdempotencyKeys
with gone as (
  delete from millrace.idempotency_keys
  where (scope, key) in (
    select scope, key from millrace.idempotency_keys
    where created_at < (select millrace.clock()) - @olderThanMs::bigint * interval '1 ms'
    order by created_at
    limit @limit
  )
  returning 1
)
select count(*) as gone from gone
