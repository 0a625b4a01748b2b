-- Schedules, and what became of each of their ticks.

-- name: putSchedule
insert into millrace.schedules (
  id, cron, timezone, definition_id, job_type, input, priority, overlap, catch_up, enabled, next_at, changed_at, changed_by
)
values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11::timestamptz, (select millrace.clock()), $12)
on conflict (id) do update set
  cron = excluded.cron, timezone = excluded.timezone, definition_id = excluded.definition_id, job_type = excluded.job_type,
  input = excluded.input, priority = excluded.priority, overlap = excluded.overlap, catch_up = excluded.catch_up,
  enabled = excluded.enabled, next_at = excluded.next_at, changed_at = excluded.changed_at, changed_by = excluded.changed_by
returning *, (xmax = 0) as is_new

-- name: deleteSchedule
delete from millrace.schedules where id = $1 returning id

-- name: insertScheduleChange
insert into millrace.changes (at, actor, kind, name, detail) values ((select millrace.clock()), $1, $2, $3, $4::json)

-- name: findSchedule
select s.*, last.outcome as last_outcome, last.detail as last_detail
from millrace.schedules s
left join lateral (
  select r.outcome, r.detail from millrace.schedule_runs r where r.schedule_id = s.id order by r.due_at desc, r.cause desc limit 1
) last on true
where s.id = $1

-- name: listSchedules
select s.*, last.outcome as last_outcome, last.detail as last_detail
from millrace.schedules s
left join lateral (
  select r.outcome, r.detail from millrace.schedule_runs r where r.schedule_id = s.id order by r.due_at desc, r.cause desc limit 1
) last on true
where s.id > $1
order by s.id
limit $2

-- name: lockSchedule
select * from millrace.schedules where id = $1 for update

-- name: findLine
select (select millrace.clock()) as now,
  case
    when exists (select from millrace.instances i where i.id = $2) then 'instance'
    when exists (select from millrace.jobs j where j.instance_id = $2 and j.execution = 0) then 'job'
  end as live_as,
  (select count(*) from millrace.schedule_runs r where r.schedule_id = $1 and r.outcome = 'queued') as waiting

-- name: listDueSchedules
select id from millrace.schedules where next_at <= (select millrace.clock()) order by next_at limit $1

-- name: listReadyLines
select s.id
from (select distinct r.schedule_id from millrace.schedule_runs r where r.outcome = 'queued') line
join millrace.schedules s on s.id = line.schedule_id
where not exists (select from millrace.instances i where i.id = s.last_work_id)
  and not exists (select from millrace.jobs j where j.instance_id = s.last_work_id and j.execution = 0)
limit $1

-- name: moveSchedule
update millrace.schedules set next_at = $2::timestamptz where id = $1

-- name: noteStart
update millrace.schedules set last_fired_at = (select millrace.clock()), last_work_id = $2 where id = $1

-- name: insertRuns
insert into millrace.schedule_runs (schedule_id, due_at, fired_at, cause, outcome, detail)
select $1, x.due_at, (select millrace.clock()), $2, x.outcome, x.detail
from unnest($3::timestamptz[], $4::text[], $5::text[]) as x (due_at, outcome, detail)
on conflict do nothing
returning due_at

-- name: settleRun
update millrace.schedule_runs
set outcome = $4, work_id = $5, detail = $6, fired_at = (select millrace.clock())
where schedule_id = $1 and due_at = $2::timestamptz and cause = $3

-- name: findFirstWaiting
select due_at, cause from millrace.schedule_runs where schedule_id = $1 and outcome = 'queued' order by due_at limit 1

-- name: skipWaiting
update millrace.schedule_runs set outcome = 'skipped', detail = $2, fired_at = (select millrace.clock())
where schedule_id = $1 and outcome = 'queued'

-- name: listRuns
select due_at, fired_at, cause, outcome, work_id, detail from millrace.schedule_runs
where schedule_id = $1 and (due_at, cause) < ($2::timestamptz, $3)
order by due_at desc, cause desc
limit $4

-- name: pruneRuns
with old as (
  select schedule_id, due_at, cause from millrace.schedule_runs
  where fired_at < (select millrace.clock()) - $1::bigint * interval '1 ms' and outcome <> 'queued'
  limit $2
)
delete from millrace.schedule_runs r using old
where r.schedule_id = old.schedule_id and r.due_at = old.due_at and r.cause = old.cause
returning r.due_at
