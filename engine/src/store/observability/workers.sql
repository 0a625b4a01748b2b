-- Who works: what the leases tell, and who was seen asking.

-- name: listWorkers, planned by index
with t as (select millrace.clock() as now),
holders as (
  select j.worker_id, count(*) as in_flight, array_agg(distinct q.job_type order by q.job_type) as job_types,
    min(j.claimed_at) as since, max(greatest(j.claimed_at, j.lease_until - j.lease_ms * interval '1 ms')) as seen_at
  from (
    select worker_id, queue_id, claimed_at, lease_until, lease_ms
    from millrace.live_jobs where status = 'leased' order by lease_until limit @limit
  ) j
  join millrace.queues q on q.id = j.queue_id
  group by j.worker_id
),
askers as (
  select s.* from millrace.worker_sightings s, t
  where s.last_seen_at > t.now - @askingMs::integer * interval '1 ms' order by s.last_seen_at desc limit @limit
),
-- A worker that holds and asks is there twice, and then put together: a join would compare every row with every other.
people as (
  select h.*, s.job_types as asks, s.first_seen_at, s.last_seen_at
  from holders h left join millrace.worker_sightings s on s.worker_id = h.worker_id
  union all
  select a.worker_id, 0, null, null, null, a.job_types, a.first_seen_at, a.last_seen_at from askers a
)
select p.worker_id, sum(p.in_flight)::bigint as in_flight, coalesce(max(p.asks), max(p.job_types)) as job_types,
  max(p.since) as since,
  greatest(max(p.seen_at), max(p.last_seen_at)) as seen_at, max(p.first_seen_at) as first_seen_at,
  coalesce(max(p.last_seen_at) > (select now from t) - @askingMs::integer * interval '1 ms', false) as is_polling
from people p
group by p.worker_id
order by p.worker_id

-- name: countByQueue, planned by index
-- Ready jobs of each of these queues, no further than the limit; and leased jobs of any queue, as many in all.
select w.queue_id, (
    select count(*) from (
      select from millrace.jobs j where j.queue_id = w.queue_id and j.status = 'ready' and j.seq > w.after limit @limit
    ) capped
  ) as ready, 0::bigint as leased
from unnest(@queueIds::integer[], @after::bigint[]) as w (queue_id, after)
union all
select l.queue_id, 0, count(*)
from (select queue_id from millrace.live_jobs where status = 'leased' limit @limit) l group by l.queue_id
