-- What the overview shows beside the depths: one row, every count of it capped and read by index.

-- name: readStanding, planned by index
with t as (select millrace.clock() as now),
-- The last two steps of the series that are over.
w as (
  select to_timestamp(floor(extract(epoch from t.now) / 2) * 2 - 4) as since,
    to_timestamp(floor(extract(epoch from t.now) / 2) * 2) as until from t
)
select t.now, r.*, p.*,
  (select count(*) from (select from millrace.jobs where status = 'leased' limit @limit) capped)
    + (select coalesce(sum(length(ended) - bit_count(ended)), 0) from millrace.packs)::bigint as leases,
  (select count(*) from (select from millrace.dead_letters limit @limit) capped) as dead_letters,
  (select count(*) from (select from millrace.user_tasks where status = 'OPEN' limit @limit) capped) as open_user_tasks,
  (select count(*) from (select from millrace.user_tasks where status = 'OPEN' and due_at < t.now limit @limit) capped)
    as overdue_user_tasks,
  -- Beyond the limit those that come last by name are missing.
  (select coalesce(json_object_agg(x.downstream, x.n), '{}') from (
    select l.downstream, count(*) as n
    from (select downstream from millrace.jobs where status = 'leased' and downstream is not null limit @limit) l
    group by l.downstream
  ) x) as in_flight,
  (select coalesce(json_agg(x), '[]') from (
    select f.part, f.name, sum(f.jobs) as jobs from millrace.flow_series f
    where f.at >= w.since and f.at < w.until group by f.part, f.name
  ) x) as flow,
  (select coalesce(json_object_agg(d.name, floor(extract(epoch from d.closed_until) * 1000)), '{}')
    from millrace.downstreams d where d.closed_until > t.now) as closed_until
from t, w, lateral (
  select count(distinct worker_id) as workers, count(distinct worker_id) filter (where is_busy) as busy_workers from (
    (select worker_id, true as is_busy from millrace.jobs where status = 'leased' order by lease_until limit @limit)
    union all (select worker_id, true from millrace.packs limit @limit)
    union all (select worker_id, false from millrace.worker_sightings
      where last_seen_at > t.now - @seenMs::integer * interval '1 ms' limit @limit)) people
) p, lateral (
  select coalesce(sum(started), 0)::bigint as started, coalesce(sum(completed), 0)::bigint as completed,
    coalesce(sum(failed), 0)::bigint as failed, coalesce(sum(cancelled), 0)::bigint as cancelled,
    coalesce(sum(steps), 0)::bigint as steps, coalesce(sum(jobs_enqueued), 0)::bigint as jobs_enqueued,
    coalesce(sum(jobs_completed), 0)::bigint as jobs_completed, coalesce(sum(jobs_failed), 0)::bigint as jobs_failed,
    coalesce(sum(jobs_dead), 0)::bigint as jobs_dead, coalesce(sum(rejected), 0)::bigint as rejected
  from millrace.counter_series s where s.span = 2 and s.at >= w.since and s.at < w.until
) r

-- name: listVersions, planned by index
select id, version, status from millrace.instances where id = any(@ids::text[])
union all
select id, version, status from millrace.finished_instances where id = any(@ids::text[])
