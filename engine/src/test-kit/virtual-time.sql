-- The clock of a test engine, what waits for it, and what is still being worked on.

-- name: moveClock
-- The workers of this process are alive: their leases come along, as if they had sent their heartbeats meanwhile.
with moved as (
  update millrace.test_clock set offset_ms = offset_ms + @ms::bigint
),
packed as (
  update millrace.packs set lease_until = least(lease_until + @ms::bigint * interval '1 ms', run_until)
  where worker_id = any(@alive::text[])
)
update millrace.jobs set lease_until = least(lease_until + @ms::bigint * interval '1 ms', run_until)
where status = 'leased' and worker_id = any(@alive::text[])

-- name: findDue
-- The loops that have overdue work now.
with t as (
  select millrace.clock() as now
),
times (at, loop) as (
  select visible_at, 'jobs' from millrace.jobs where status = 'held'
  union all select due_at, 'timers' from millrace.timers
  union all select next_at, 'chains' from millrace.chains where child_id is null
  union all select next_at, 'requests' from millrace.requests where set_aside_at is null
  union all select lease_until, 'leases' from millrace.live_jobs
  where status = 'leased' and worker_id <> all(@alive::text[])
)
select t.now, (select min(at) from times where at > t.now) as next_at,
  array(select distinct loop from times where at <= t.now) as overdue
from t

-- name: listBusy
-- The busy jobs of one run and its descendants, or of all. A job that no live worker has or could take is not busy.
with recursive family (id) as (
  select @id::text collate "C"
  union all select i.id from millrace.instances i join family f on i.parent_id = f.id
)
select j.instance_id
from millrace.live_jobs j
join millrace.queues q on q.id = j.queue_id
where ((j.status = 'leased' and j.worker_id = any(@alive::text[]))
    or (j.status = 'ready' and q.job_type = any(@jobTypes::text[])))
  and (@id::text is null or j.instance_id in (select id from family))

-- name: listWaits
with recursive family (id) as (
  select @id::text collate "C"
  union all select i.id from millrace.instances i join family f on i.parent_id = f.id
)
select j.instance_id, j.waits_for, j.held_reason
from millrace.jobs j
where j.status = 'held' and j.instance_id in (select id from family)
order by j.instance_id
