-- Keys of standalone jobs: one job per key, one job per window.

-- name: findJobKeys
select k.job_type, k.key, k.job_id, k.digest
from @keys as x (job_type text, key text)
join millrace.job_keys k on k.job_type = x.job_type and k.key = x.key

-- name: listKeysOfJobs, planned by index
select job_id, key from millrace.job_keys where job_id = any(@ids::text[])

-- name: listKeysFrom, planned by index
-- From key to key by the primary key, and from a type that has no more such keys to the next type. Each is one step of
-- the bound, so keys of other beginnings are passed over without being read.
with recursive walk (job_type, key, job_id, n) as (
  select @afterType::text collate "C", @afterKey::text collate "C", null::text collate "C", 0
  union all
  select f.job_type, f.key, f.job_id, w.n + 1
  from walk w cross join lateral (
    (
      select k.job_type, k.key, k.job_id, 0 as rank from millrace.job_keys k
      where k.job_type = w.job_type and k.key > w.key and k.key >= @fromKey and k.key < @beforeKey
      order by k.key limit 1
    )
    union all
    (
      select k.job_type, '', null, 1 from millrace.job_keys k
      where k.job_type > w.job_type and @jobType::text is null
      order by k.job_type limit 1
    )
    order by rank limit 1
  ) f
  where w.n < @lookAt
)
select job_type, key, job_id, n = @lookAt as is_last from walk
-- The last that was looked at says where to go on, also where it is only a type.
where n > 0 and (job_id is not null or n = @lookAt)
order by n

-- name: takeUnique
insert into millrace.job_uniques as u (job_type, key, job_id, until)
values (@jobType, @key, @jobId, (select millrace.clock()) + @forMs::bigint * interval '1 ms')
on conflict (job_type, key) do update set job_id = excluded.job_id, until = excluded.until
where u.until <= (select millrace.clock())
returning u.job_id

-- name: findUnique
select job_id, until from millrace.job_uniques where job_type = @jobType and key = @key

-- name: debounceJob
-- Only while it has not begun: then the latest word counts, and the window begins again. It never runs before the time
-- that an earlier one asked for, and the window is open for as long as it waits.
with moved as (
  update millrace.jobs j
  set payload = @payload::jsonb, trace_context = @trace,
    visible_at = greatest(j.visible_at, (select millrace.clock()) + @delayMs::bigint * interval '1 ms')
  where j.instance_id = @id and j.execution = 0 and j.status = 'held' and j.epoch = 0 and j.visible_at is not null
  returning j.instance_id, j.visible_at
)
update millrace.job_uniques u set until = moved.visible_at
from moved where u.job_id = moved.instance_id
returning u.job_id

-- name: replaceUnique
update millrace.job_uniques set job_id = @jobId, until = (select millrace.clock()) + @forMs::bigint * interval '1 ms'
where job_type = @jobType and key = @key

-- name: pruneUniques
delete from millrace.job_uniques where until < (select millrace.clock())

-- name: pruneLimits
delete from millrace.limits l
where l.set_at < (select millrace.clock()) - interval '1 day'
  and not exists (select from millrace.jobs j where j.limit_key = l.key collate "default")
