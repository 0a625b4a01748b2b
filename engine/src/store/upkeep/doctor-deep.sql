-- What the doctor asks when it is told to look deep: whole trails and histories are read, each question for a minute
-- at most. As the other questions they only read, and join by equality.

-- name: trailBeginnings, planned within a minute
select a.instance_id, 'begins with ' || a.kind as detail
from millrace.trail a
where a.seq = 1 and a.kind not in ('INSTANCE_STARTED', 'DEFINITION_UPLOADED') and a.instance_id >= @fromId
  and a.instance_id <> ''
order by 1 limit @limit

-- name: trailAfterEnd, planned within a minute
-- After its end an instance is retried, or its next workflow or its undo is noted. Nothing else happens to it.
with pairs as (
  select instance_id, seq, kind, lead(kind) over (partition by instance_id order by seq) as next
  from millrace.trail where instance_id >= @fromId and instance_id <> ''
)
select p.instance_id, p.kind || ' is number ' || p.seq || ', and then ' || p.next as detail
from pairs p
where p.kind in ('INSTANCE_COMPLETED', 'INSTANCE_FAILED', 'INSTANCE_CANCELLED')
  and p.next not in ('STEP_RETRIED', 'CHAIN_STARTED', 'UNDO_STARTED')
order by 1, p.seq limit @limit

-- name: trailStatus, planned within a minute
with ends as (
  select distinct on (instance_id) instance_id, kind from millrace.trail
  where kind in ('INSTANCE_COMPLETED', 'INSTANCE_FAILED', 'INSTANCE_CANCELLED') and instance_id >= @fromId
  order by instance_id, seq desc
)
select f.id as instance_id, f.status || ', but the trail says ' || e.kind as detail
from millrace.finished_instances f join ends e on e.instance_id = f.id
where f.id >= @fromId and e.kind <> 'INSTANCE_' || f.status
order by 1 limit @limit

-- name: firedTwice, planned within a minute
-- A timer that interrupts ends the execution it guards, so there are at most as many as ended executions.
with fired as (
  select instance_id, detail ->> 'stepId' as step_id, count(*) as fired
  from millrace.trail
  where kind = 'TIMER_FIRED' and instance_id >= @fromId and 'true' in (detail ->> 'interrupting', detail ->> 'duration')
  group by 1, 2
),
ended as (
  select instance_id, step_id, count(*) as ended from millrace.history where instance_id >= @fromId group by 1, 2
)
select f.instance_id, 'timers of ' || f.step_id || ' fired ' || f.fired || ' times, in ' || coalesce(e.ended, 0)
  || ' executions' as detail
from fired f left join ended e on e.instance_id = f.instance_id and e.step_id = f.step_id
where f.fired > coalesce(e.ended, 0)
order by 1 limit @limit

-- name: sharedTokens, planned within a minute
select min(j.instance_id) as instance_id,
  count(*) || ' leased jobs have the token of the one of ' || min(j.step_id) as detail
from millrace.jobs j
where j.status = 'leased' and j.instance_id >= @fromId
group by j.nonce
-- Those of one pack have one token.
having count(distinct (j.worker_id, j.claimed_at)) > 1
order by 1 limit @limit

-- name: deadAndAlive, planned within a minute
select d.instance_id, 'job of ' || d.step_id || ' is ' || j.status || ', and a dead letter as well' as detail
from millrace.dead_letters d join millrace.live_jobs j on j.instance_id = d.instance_id and j.execution = d.execution
where d.instance_id >= @fromId and j.instance_id >= @fromId
order by 1 limit @limit

-- name: missingVersions, planned within a minute
select i.id as instance_id, i.definition_id || ', version ' || i.definition_version as detail
from millrace.instances i
left join millrace.definitions d on d.id = i.definition_id and d.version = i.definition_version
where i.id >= @fromId and d.id is null
order by 1 limit @limit

-- name: lostChildren, planned within a minute
-- Parents that ended within the last day: after that a child may be past its own retention.
with there as (
  select id from millrace.instances where id >= @fromId
  union all select id from millrace.finished_instances where id >= @fromId
)
select c.parent_id as instance_id, 'its next workflow ' || c.definition_id || ' was started as ' || c.child_id as detail
from millrace.chains c
join millrace.finished_instances p on p.id = c.parent_id and p.id >= @fromId
  and p.completed_at > (select millrace.clock()) - interval '1 day'
left join there t on t.id = c.child_id
where c.child_id is not null and c.parent_id >= @fromId and t.id is null
order by 1 limit @limit

-- name: lostTicks, planned within a minute
-- Ticks of the last day: older work may be past its retention.
with there as (
  select id from millrace.instances union all select id from millrace.finished_instances
  union all select instance_id from millrace.live_jobs union all select instance_id from millrace.history
)
select 'schedule ' || r.schedule_id as instance_id, 'due at ' || r.due_at || ', started as ' || r.work_id as detail
from (
  select * from millrace.schedule_runs
  where outcome = 'started' and fired_at > (select millrace.clock()) - interval '1 day'
) r
left join (select distinct id from there) t on t.id = r.work_id
where t.id is null and @fromId::text is not null
order by 1 limit @limit
