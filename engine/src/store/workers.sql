-- Who works: what the leases tell.

-- name: listWorkers, planned by index
select j.worker_id, count(*) as in_flight, array_agg(distinct q.job_type order by q.job_type) as job_types,
  min(j.claimed_at) as since, max(greatest(j.claimed_at, j.lease_until - j.lease_ms * interval '1 ms')) as seen_at
from (
  select worker_id, queue_id, claimed_at, lease_until, lease_ms from millrace.jobs where status = 'leased' order by lease_until limit $1
) j
join millrace.queues q on q.id = j.queue_id
group by j.worker_id
order by j.worker_id
