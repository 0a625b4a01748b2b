-- What operators change while the engine runs.

-- name: readLive
select (select version from millrace.live_version) as version,
  (select value from millrace.live_settings where name = 'weights') as weights,
  (select coalesce(json_agg(json_build_object('kind', kind, 'name', name, 'reason', reason, 'by', paused_by,
    'at', floor(extract(epoch from paused_at) * 1000))), '[]') from millrace.pauses) as pauses,
  (select coalesce(json_agg(json_build_object('name', name, 'perSecond', per_second,
      'concurrency', concurrency, 'adaptive', adaptive)), '[]')
    from millrace.downstreams) as downstreams,
  (select coalesce(json_agg(json_build_object('name', name, 'timeoutMs', timeout_ms, 'defaults', defaults,
      'largePayload', large_payload)), '[]')
    from millrace.job_types) as job_types

-- name: countChange
with counted as (update millrace.live_version set version = version + 1 returning version),
noted as (
  insert into millrace.changes (at, actor, kind, name, detail)
  select @at::timestamptz, @actor, @kind, @name, @detail::json
)
select version from counted

-- name: isLiveEverywhere
select not exists (
  select from millrace.processes
  where seen_at > (select millrace.clock()) - interval '5 s' and live_version < @version and id <> @processId
) as everywhere

-- name: noteSeen
update millrace.processes set live_version = @version where id = @processId

-- name: pruneChanges
delete from millrace.changes where at < (select millrace.clock()) - @retainMs::bigint * interval '1 ms'

-- name: setLive
insert into millrace.live_settings (name, value, changed_at, changed_by)
values (@name, @value::json, millrace.clock(), @actor)
on conflict (name) do update
set value = excluded.value, changed_at = excluded.changed_at, changed_by = excluded.changed_by

-- name: replaceLive
-- Only where it is still what the caller has seen, whatever else was written beside it by hand; null is none.
with changed as (
  update millrace.live_settings set value = @value::json, changed_at = millrace.clock(), changed_by = @actor
  where name = @name and value::jsonb @> @seen::jsonb
  returning name
),
made as (
  insert into millrace.live_settings (name, value, changed_at, changed_by)
  select @name, @value::json, millrace.clock(), @actor where @seen::jsonb is null
  on conflict (name) do nothing
  returning name
)
select name from changed union all select name from made

-- name: deleteLive
delete from millrace.live_settings where name = @name

-- name: findWeightsChange
-- Who chose what is in force is kept with it; who went back to the configuration only with the other changes.
select at, actor from (
  select changed_at as at, changed_by as actor from millrace.live_settings where name = 'weights'
  union all
  (select at, actor from millrace.changes where kind = 'weights' order by id desc limit 1)
) known
order by at desc limit 1
