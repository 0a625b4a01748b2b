-- Live jobs as people look through them, each status in the order its index has them. A filter that nearly nothing
-- matches reads no further than the bound it is given, and the page after it goes on from there.

-- name: listReadyJobs, planned by index
select j.*, q.job_type, q.priority, q.definition_id, true as matches, false as is_last
from (
  select f.*, f.seq as place
  from unnest(@queueIds::integer[], @after::bigint[]) as w (queue_id, after)
  cross join lateral (
    select r.instance_id, r.execution, r.queue_id, r.step_id, r.epoch, r.created_at, r.visible_at,
      r.worker_id, r.lease_until, r.seq
    from millrace.jobs r
    where r.queue_id = w.queue_id and r.status = 'ready' and r.seq > greatest(w.after, @place::bigint)
    order by r.seq
    limit @limit
  ) f
  order by f.seq
  limit @limit
) j
join millrace.queues q on q.id = j.queue_id
order by j.place

-- name: listLeasedJobs, planned by index
with looked as materialized (
  select j.instance_id, j.execution, j.queue_id, j.step_id, j.epoch, j.created_at, j.visible_at,
    j.worker_id, j.lease_until,
    (extract(epoch from j.lease_until) * 1000000)::bigint as place,
    row_number() over (order by j.lease_until, j.instance_id, j.execution) as n
  from millrace.live_jobs j, (select timestamptz 'epoch' + @place::bigint * interval '1 microsecond' as at) p
  where j.status = 'leased' and j.lease_until >= p.at
    and (j.lease_until, j.instance_id, j.execution) > (p.at, @instance_id::text, @execution::integer)
  order by j.lease_until, j.instance_id, j.execution
  limit @lookAt
)
select l.*, q.job_type, q.priority, q.definition_id, l.queue_id = any(@queueIds::integer[]) as matches,
  l.n = @lookAt as is_last
from looked l join millrace.queues q on q.id = l.queue_id
-- The last that was looked at says where to go on, also where it does not match.
where l.queue_id = any(@queueIds::integer[]) or l.n = @lookAt
order by l.n
limit @limit

-- name: listDelayedJobs, planned by index
with looked as materialized (
  select j.instance_id, j.execution, j.queue_id, j.step_id, j.epoch, j.created_at, j.visible_at,
    j.worker_id, j.lease_until,
    (extract(epoch from j.visible_at) * 1000000)::bigint as place,
    row_number() over (order by j.visible_at, j.instance_id, j.execution) as n
  from millrace.jobs j, (select timestamptz 'epoch' + @place::bigint * interval '1 microsecond' as at) p
  where j.status = 'held' and j.visible_at >= p.at
    and (j.visible_at, j.instance_id, j.execution) > (p.at, @instance_id::text, @execution::integer)
  order by j.visible_at, j.instance_id, j.execution
  limit @lookAt
)
select l.*, q.job_type, q.priority, q.definition_id, l.queue_id = any(@queueIds::integer[]) as matches,
  l.n = @lookAt as is_last
from looked l join millrace.queues q on q.id = l.queue_id
where l.queue_id = any(@queueIds::integer[]) or l.n = @lookAt
order by l.n
limit @limit

-- name: listHeldJobs, planned by index
-- No time is set for them, and nothing else puts them in an order: there is one page.
select j.*, q.job_type, q.priority, q.definition_id, true as matches, false as is_last
from (
  select h.instance_id, h.execution, h.queue_id, h.step_id, h.epoch, h.created_at, h.visible_at,
    h.worker_id, h.lease_until, h.seq as place
  from millrace.jobs h where h.status = 'held' and h.visible_at is null limit @lookAt
) j
join millrace.queues q on q.id = j.queue_id
where j.queue_id = any(@queueIds::integer[])
order by j.place
limit @limit

-- name: listLiveJobsOf, planned by index
-- The standalone jobs with these ids that are in the status, by the names that lists use.
select j.instance_id, j.execution, j.queue_id, j.step_id, j.epoch, j.created_at, j.visible_at, j.worker_id,
  j.lease_until, q.job_type, q.priority, q.definition_id
from unnest(@ids::text[]) as x (id) cross join lateral millrace.live_jobs_of(x.id) j
join millrace.queues q on q.id = j.queue_id
where j.execution = 0 and j.queue_id = any(@queueIds::integer[])
  and case when j.status = 'held' and j.visible_at is not null then 'delayed' else j.status end = @status
