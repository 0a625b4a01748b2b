-- What the live jobs of an instance, or a standalone job, wait for.

-- name: listWaitingJobs, planned by index
select j.execution, j.status, j.step_id, j.epoch, j.worker_id, j.lease_until, j.visible_at, j.waits_for, j.held_reason,
  j.created_at, j.fair_key, j.limit_key, j.retries_left, j.retry,
  q.job_type, q.priority, q.definition_id, q.downstream, q.polled_at,
  e.outcome as end_outcome, e.error as end_error, e.step as end_step, e.ended_at,
  d.dedup_id, d.partition, d.log_offset, d.published_at,
  case
    when j.status = 'ready' and j.fair_key is not null then (select count(*) from (
      select from millrace.jobs a
      where a.queue_id = j.queue_id and a.status = 'ready' and a.fair_key = j.fair_key and a.seq < j.seq limit @countTo
    ) capped)
    when j.status = 'ready' then (select count(*) from (
      select from millrace.jobs a where a.queue_id = j.queue_id and a.status = 'ready' and a.seq < j.seq limit @countTo
    ) capped)
    when j.status = 'held' and j.limit_key is not null then (select count(*) from (
      select from millrace.queues w join millrace.jobs a on a.queue_id = w.id and a.limit_key = j.limit_key
        and a.status = 'held' and a.visible_at is null and a.seq < j.seq
      where w.priority = q.priority limit @countTo
    ) capped)
    else 0
  end as ahead,
  case when j.status = 'ready' and q.downstream <> '' then (select count(*) from (
    select from millrace.queues d join millrace.jobs a on a.queue_id = d.id and a.status = 'ready' and a.seq < j.seq
    where d.downstream = q.downstream limit @countTo
  ) capped) else 0 end as ahead_at_downstream,
  case when j.limit_key is not null then
    (select count(*) from millrace.jobs a where a.limit_key = j.limit_key and a.status in ('ready', 'leased'))
  else 0 end as under_way,
  case when j.limit_key is not null then
    (select count(*) from millrace.jobs a where a.limit_key = j.limit_key and a.status = 'leased')
  else 0 end as running,
  (select l.max from millrace.limits l where l.key = j.limit_key) as limit_max
from millrace.live_jobs_of(@instanceId) j
join millrace.queues q on q.id = j.queue_id
left join millrace.attempts e on e.instance_id = j.instance_id and e.execution = j.execution and e.epoch = j.epoch
left join millrace.dispatches d on d.instance_id = j.instance_id and d.execution = j.execution and d.epoch = j.epoch
order by j.execution

-- name: listParkedWaits, planned by index
-- The waits that the run had come to when it was parked last. Other waits are left over from ways it did not take.
select s.name, s.value, s.error, s.started_at
from millrace.jobs j
join millrace.attempts e on e.instance_id = j.instance_id and e.execution = j.execution and e.epoch = j.epoch
join millrace.run_steps s on s.instance_id = j.instance_id and s.status = 'WAITING' and s.ended_at = e.ended_at
where j.instance_id = @instanceId and j.execution = @execution and j.status = 'held' and e.outcome = 'parked'
order by (s.value ->> 'until')::bigint, s.name
