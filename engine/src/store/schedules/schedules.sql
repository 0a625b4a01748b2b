-- Schedules, and what became of each of their ticks.

-- name: putSchedule
insert into millrace.schedules (
  id, cron, timezone, definition_id, job_type, input, priority, overlap, catch_up, enabled,
  next_at, changed_at, changed_by
)
values (
  @id, @cron, @timezone, @definitionId, @jobType, @input::jsonb, @priority, @overlap, @catchUp,
  @enabled, @nextAt::timestamptz, (select millrace.clock()), @changedBy)
on conflict (id) do update set
  cron = excluded.cron, timezone = excluded.timezone, definition_id = excluded.definition_id,
  job_type = excluded.job_type,
  input = excluded.input, priority = excluded.priority, overlap = excluded.overlap, catch_up = excluded.catch_up,
  enabled = excluded.enabled, next_at = excluded.next_at, changed_at = excluded.changed_at,
  changed_by = excluded.changed_by, failures = 0, last_error = null, retry_at = null
returning *, (xmax = 0) as is_new

-- name: deleteSchedule
delete from millrace.schedules where id = @id returning id

-- name: insertScheduleChange
insert into millrace.changes (at, actor, kind, name, detail)
values ((select millrace.clock()), @actor, @kind, @id, @detail::json)

-- name: findSchedule
select s.*, last.outcome as last_outcome, last.detail as last_detail
from millrace.schedules s
left join lateral (
  select r.outcome, r.detail from millrace.schedule_runs r
  where r.schedule_id = s.id order by r.due_at desc, r.cause desc limit 1
) last on true
where s.id = @id

-- name: listSchedules
select s.*, last.outcome as last_outcome, last.detail as last_detail
from millrace.schedules s
left join lateral (
  select r.outcome, r.detail from millrace.schedule_runs r
  where r.schedule_id = s.id order by r.due_at desc, r.cause desc limit 1
) last on true
where s.id > @afterId
order by s.id
limit @limit

-- name: lockSchedule
select * from millrace.schedules where id = @id for update

-- name: findLine
select (select millrace.clock()) as now,
  case
    when exists (select from millrace.instances i where i.id = @lastWorkId) then 'instance'
    when exists (select from millrace.live_jobs_of(@lastWorkId) j where j.execution = 0) then 'job'
  end as live_as,
  (select count(*) from millrace.schedule_runs r where r.schedule_id = @id and r.outcome = 'queued') as waiting

-- name: listDueSchedules
select id from millrace.schedules
where next_at <= (select millrace.clock()) and (retry_at is null or retry_at <= (select millrace.clock()))
order by next_at
limit @limit

-- name: listReadyLines
select s.id
from (select distinct r.schedule_id from millrace.schedule_runs r where r.outcome = 'queued') line
join millrace.schedules s on s.id = line.schedule_id
where (s.retry_at is null or s.retry_at <= (select millrace.clock()))
  and not exists (select from millrace.instances i where i.id = s.last_work_id)
  and not exists (select from millrace.live_jobs_of(s.last_work_id) j where j.execution = 0)
limit @limit

-- name: moveSchedule
update millrace.schedules
set next_at = @nextAt::timestamptz, failures = 0, last_error = null, retry_at = null
where id = @id

-- name: postponeSchedule
update millrace.schedules
set failures = failures + 1, last_error = @error, retry_at = millrace.next_try(failures)
where id = @id

-- name: noteStart
update millrace.schedules
set last_fired_at = (select millrace.clock()), last_work_id = @workId, failures = 0, last_error = null, retry_at = null
where id = @id

-- name: insertRuns
insert into millrace.schedule_runs (schedule_id, due_at, fired_at, cause, outcome, detail)
select @scheduleId, x.due_at, (select millrace.clock()), @cause, x.outcome, x.detail
from @ticks as x (due_at timestamptz, outcome text, detail text)
on conflict do nothing
returning due_at

-- name: settleRun
update millrace.schedule_runs
set outcome = @outcome, work_id = @workId, detail = @detail, fired_at = (select millrace.clock())
where schedule_id = @scheduleId and due_at = @dueAt::timestamptz and cause = @cause

-- name: findFirstWaiting
select due_at, cause from millrace.schedule_runs
where schedule_id = @scheduleId and outcome = 'queued' order by due_at limit 1

-- name: skipWaiting
update millrace.schedule_runs set outcome = 'skipped', detail = @detail, fired_at = (select millrace.clock())
where schedule_id = @scheduleId and outcome = 'queued'

-- name: listRuns
select due_at, fired_at, cause, outcome, work_id, detail from millrace.schedule_runs
where schedule_id = @scheduleId and (due_at, cause) < (@dueAt::timestamptz, @cause)
order by due_at desc, cause desc
limit @limit

-- name: pruneRuns
with old as (
  select schedule_id, due_at, cause from millrace.schedule_runs
  where fired_at < (select millrace.clock()) - @olderThanMs::bigint * interval '1 ms' and outcome <> 'queued'
  limit @limit
)
delete from millrace.schedule_runs r using old
where r.schedule_id = old.schedule_id and r.due_at = old.due_at and r.cause = old.cause
returning r.due_at
