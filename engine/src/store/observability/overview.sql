-- What the overview shows beside the depths: one row, every count of it capped and read by index.

-- name: readStanding, planned by index
with t as (select millrace.clock() as now),
-- The last two steps of the series that are over.
w as (
  select to_timestamp(floor(extract(epoch from t.now) / 2) * 2 - 4) as since,
    to_timestamp(floor(extract(epoch from t.now) / 2) * 2) as until from t
)
select t.now, r.*,
  (select count(*) from (select from millrace.jobs where status = 'leased' limit @limit) capped) as leases,
  (select count(*) from (select from millrace.dead_letters limit @limit) capped) as dead_letters,
  (select count(*) from (select from millrace.user_tasks where status = 'OPEN' limit @limit) capped) as open_user_tasks,
  (select count(*) from (
    select worker_id
    from (select worker_id from millrace.jobs where status = 'leased' order by lease_until limit @limit) holders
    union
    select worker_id from (select worker_id from millrace.worker_sightings
      where last_seen_at > t.now - @seenMs::integer * interval '1 ms' limit @limit) askers
  ) people) as workers,
  -- Beyond the limit those that come last by name are missing.
  (select coalesce(json_object_agg(x.downstream, x.n), '{}') from (
    select l.downstream, count(*) as n
    from (select downstream from millrace.jobs where status = 'leased' and downstream is not null limit @limit) l
    group by l.downstream
  ) x) as in_flight,
  (select coalesce(json_object_agg(x.downstream, x.n), '{}') from (
    select d.downstream, sum(d.started) as n from millrace.downstream_series d
    where d.at >= w.since and d.at < w.until group by d.downstream
  ) x) as handed_out,
  (select coalesce(json_object_agg(d.name, floor(extract(epoch from d.closed_until) * 1000)), '{}')
    from millrace.downstreams d where d.closed_until > t.now) as closed_until
from t, w, lateral (
  select coalesce(sum(s.started), 0)::bigint as started, coalesce(sum(s.completed), 0)::bigint as completed,
    coalesce(sum(s.failed), 0)::bigint as failed, coalesce(sum(s.cancelled), 0)::bigint as cancelled,
    coalesce(sum(s.steps), 0)::bigint as steps, coalesce(sum(s.jobs_enqueued), 0)::bigint as jobs_enqueued,
    coalesce(sum(s.jobs_completed), 0)::bigint as jobs_completed,
    coalesce(sum(s.jobs_failed), 0)::bigint as jobs_failed,
    coalesce(sum(s.jobs_dead), 0)::bigint as jobs_dead, coalesce(sum(s.rejected), 0)::bigint as rejected
  from millrace.counter_series s where s.span = 2 and s.at >= w.since and s.at < w.until
) r

-- name: listVersions, planned by index
select id, version, status from millrace.instances where id = any(@ids::text[])
union all
select id, version, status from millrace.finished_instances where id = any(@ids::text[])
