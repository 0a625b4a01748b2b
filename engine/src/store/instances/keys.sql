-- Keys that must be unique: business keys among unfinished instances, idempotency keys of requests.

-- name: insertBusinessKeys
insert into millrace.business_keys (definition_id, business_key, instance_id)
select * from unnest($1::text[], $2::text[], $3::text[]) as x (definition_id, business_key, instance_id)
order by 1, 2
on conflict do nothing
returning instance_id

-- name: deleteBusinessKeys
delete from millrace.business_keys b
using unnest($1::text[], $2::text[], $3::text[]) as x (definition_id, business_key, instance_id)
where b.definition_id = x.definition_id and b.business_key = x.business_key and b.instance_id = x.instance_id

-- name: insertIdempotencyKeys
insert into millrace.idempotency_keys (scope, key, digest, status, answer, created_at)
select x.scope, x.key, x.digest, x.status, x.answer, (select millrace.clock())
from unnest($1::text[], $2::text[], $3::bytea[], $4::integer[], $5::json[]) as x (scope, key, digest, status, answer)
order by 1, 2
on conflict do nothing
returning scope, key

-- name: deleteIdempotencyKeys
delete from millrace.idempotency_keys k
using unnest($1::text[], $2::text[]) as x (scope, key)
where k.scope = x.scope and k.key = x.key

-- name: answerIdempotencyKey
update millrace.idempotency_keys set status = $3, answer = $4 where scope = $1 and key = $2

-- name: findIdempotencyKeys
select k.scope, k.key, k.digest, k.status, k.answer
from unnest($1::text[], $2::text[]) as x (scope, key)
join millrace.idempotency_keys k on k.scope = x.scope and k.key = x.key

-- name: pruneIdempotencyKeys
with gone as (
  delete from millrace.idempotency_keys
  where (scope, key) in (
    select scope, key from millrace.idempotency_keys
    where created_at < (select millrace.clock()) - $1::bigint * interval '1 ms'
    order by created_at
    limit $2
  )
  returning 1
)
select count(*) as gone from gone
