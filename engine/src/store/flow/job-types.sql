-- Settings of job types that operators change while the engine runs.

-- name: setJobType
insert into millrace.job_types (name, timeout_ms, large_payload) values (@name, @timeoutMs, @largePayload)
on conflict (name) do update set timeout_ms = excluded.timeout_ms, large_payload = excluded.large_payload
where (job_types.timeout_ms, job_types.large_payload) is distinct from (excluded.timeout_ms, excluded.large_payload)
returning name

-- name: clearJobType
update millrace.job_types set timeout_ms = null, large_payload = null
where name = @name and (timeout_ms is not null or large_payload is not null) returning name

-- name: setDefaultsOfType
insert into millrace.job_types (name, defaults) values (@name, @defaults::json)
on conflict (name) do update set defaults = excluded.defaults

-- name: listJobTypes
select k.name, max(k.timeout_ms) as timeout_ms, max(k.large_payload) as large_payload, max(k.polled_at) as polled_at,
  c.at as changed_at, c.actor as changed_by
from (
  select name, timeout_ms, large_payload, null::timestamptz as polled_at from millrace.job_types
  where timeout_ms is not null or large_payload is not null or defaults is not null
  union all
  select job_type, null, null, polled_at from millrace.queues
) k
left join (
  select distinct on (name) name, at, actor from millrace.changes where kind = 'job-type' order by name, id desc
) c on c.name = k.name
group by k.name, c.at, c.actor
order by k.name
