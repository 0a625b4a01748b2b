-- Bulk operations: one row each, with how far they have come.

-- name: insertBulk
insert into millrace.bulk_operations (id, action, filter, reason, actor, dry_run, matched, until_id, created_at, finished_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, (select millrace.clock()), case when $6 then (select millrace.clock()) end)

-- name: findBulk
select id, action, filter, reason, actor, dry_run, matched, done, failed, after_id, until_id, created_at, finished_at
from millrace.bulk_operations where id = $1

-- name: findRunningBulk
select id, action, filter, reason, actor, dry_run, matched, done, failed, after_id, until_id, created_at, finished_at
from millrace.bulk_operations where finished_at is null order by created_at limit 1

-- name: countBulk
update millrace.bulk_operations set done = done + $2, failed = failed + $3, after_id = $4 where id = $1

-- name: finishBulk
update millrace.bulk_operations set finished_at = (select millrace.clock()) where id = $1

-- name: listLiveMatching, planned anew
select id, null::json as state from millrace.instances
where ($1::text is null or definition_id = $1) and ($2::text is null or status = $2) and ($3::text is null or business_key = $3)
  and ($4::integer is null or definition_version = $4) and id > $5 and id < $6 and $7::text is null
order by id limit $8

-- name: listFailedMatching, planned anew
select id, state from millrace.finished_instances
where ($1::text is null or definition_id = $1) and status = 'FAILED' and ($2::text is null or status = $2) and ($3::text is null or business_key = $3)
  and ($4::integer is null or definition_version = $4) and id > $5 and id < $6 and ($7::text is null or failure = $7)
order by id limit $8

-- name: countLiveMatching, planned anew
select count(*) as total from millrace.instances
where ($1::text is null or definition_id = $1) and ($2::text is null or status = $2) and ($3::text is null or business_key = $3)
  and ($4::integer is null or definition_version = $4) and id > $5 and id < $6 and $7::text is null

-- name: countFailedMatching, planned anew
select count(*) as total from millrace.finished_instances
where ($1::text is null or definition_id = $1) and status = 'FAILED' and ($2::text is null or status = $2) and ($3::text is null or business_key = $3)
  and ($4::integer is null or definition_version = $4) and id > $5 and id < $6 and ($7::text is null or failure = $7)

-- name: pruneBulk
delete from millrace.bulk_operations where finished_at < (select millrace.clock()) - $1::bigint * interval '1 ms'
