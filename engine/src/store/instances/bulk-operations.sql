-- Bulk operations: one row each, with how far they have come.

-- name: insertBulk
insert into millrace.bulk_operations (
  id, action, filter, reason, actor, dry_run, matched, until_id, created_at, finished_at
)
values (
  @id, @action, @filter, @reason, @actor, @dryRun, @matched, @untilId,
  (select millrace.clock()), case when @dryRun then (select millrace.clock()) end
)

-- name: findBulk
select id, action, filter, reason, actor, dry_run, matched, done, failed, after_id, until_id, created_at, finished_at
from millrace.bulk_operations where id = @id

-- name: findRunningBulk
select id, action, filter, reason, actor, dry_run, matched, done, failed, after_id, until_id, created_at, finished_at
from millrace.bulk_operations where finished_at is null order by created_at limit 1

-- name: countBulk
update millrace.bulk_operations set done = done + @done, failed = failed + @failed, after_id = @afterId where id = @id

-- name: finishBulk
update millrace.bulk_operations set finished_at = (select millrace.clock()) where id = @id

-- name: listLiveMatching, planned anew
select id from millrace.instances
where (@definitionId::text is null or definition_id = @definitionId) and (@status::text is null or status = @status)
  and (@businessKey::text is null or business_key = @businessKey)
  and (@version::integer is null or definition_version = @version) and id > @afterId and id < @beforeId
  and @failure::text is null
order by id limit @limit

-- name: listFailedMatching, planned anew
select id from millrace.finished_instances
where (@definitionId::text is null or definition_id = @definitionId)
  and status = 'FAILED' and (@status::text is null or status = @status)
  and (@businessKey::text is null or business_key = @businessKey)
  and (@version::integer is null or definition_version = @version) and id > @afterId and id < @beforeId
  and (@failure::text is null or failure = @failure)
order by id limit @limit

-- name: countLiveMatching, planned anew
select count(*) as total from millrace.instances
where (@definitionId::text is null or definition_id = @definitionId) and (@status::text is null or status = @status)
  and (@businessKey::text is null or business_key = @businessKey)
  and (@version::integer is null or definition_version = @version) and id > @afterId and id < @beforeId
  and @failure::text is null

-- name: countFailedMatching, planned anew
select count(*) as total from millrace.finished_instances
where (@definitionId::text is null or definition_id = @definitionId)
  and status = 'FAILED' and (@status::text is null or status = @status)
  and (@businessKey::text is null or business_key = @businessKey)
  and (@version::integer is null or definition_version = @version) and id > @afterId and id < @beforeId
  and (@failure::text is null or failure = @failure)

-- name: pruneBulk
delete from millrace.bulk_operations
where finished_at < (select millrace.clock()) - @olderThanMs::bigint * interval '1 ms'
