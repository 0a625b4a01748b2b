-- Counters by time, added up over all processes; and with them, in the same statement, what else a process has seen
-- since its last flush.

-- name: addToSeries
-- A chart may lose its last seconds: the commit does not wait for the disk. All processes write in the same order.
with t as (select millrace.clock() as now, set_config('synchronous_commit', 'off', true) as relaxed),
-- The workers that asked for work.
seen as (
  insert into millrace.worker_sightings as w (worker_id, job_types, first_seen_at, last_seen_at)
  select x.worker_id, array(select json_array_elements_text(x.job_types)), x.at, x.at
  from (select s.*, t.now - s.ms_ago * interval '1 ms' as at
    from @sightings as s (worker_id text, job_types json, ms_ago integer), t) x
  order by x.worker_id on conflict (worker_id) do update
  set job_types = excluded.job_types, last_seen_at = greatest(w.last_seen_at, excluded.last_seen_at)
),
-- Deletes workers that have left, unless another process has seen them later.
gone as (
  delete from millrace.worker_sightings w using @departures as x (worker_id text, ms_ago integer), t
  where w.worker_id = x.worker_id and w.last_seen_at <= t.now - x.ms_ago * interval '1 ms'
),
-- What went through each part of the queue.
flowed as (
  insert into millrace.flow_series as f (at, part, name, jobs)
  select to_timestamp(floor(extract(epoch from t.now) / 2) * 2), x.part, x.name, x.jobs
  from @flow as x (part text, name text, jobs bigint), t
  order by x.part, x.name on conflict (at, part, name) do update set jobs = f.jobs + excluded.jobs
)
insert into millrace.counter_series as s (span, at, started, completed, failed, cancelled, steps, jobs_enqueued,
  jobs_completed, jobs_failed, jobs_dead, rejected, depth_critical, depth_high, depth_normal, leased, dead_letters)
select x.span, to_timestamp(floor(extract(epoch from t.now) / x.span) * x.span), @started::bigint, @completed::bigint,
  @failed::bigint, @cancelled::bigint, @steps::bigint, @jobsEnqueued::bigint, @jobsCompleted::bigint,
  @jobsFailed::bigint, @jobsDead::bigint, @rejected::bigint, @depthCritical::bigint, @depthHigh::bigint,
  @depthNormal::bigint, @leased::bigint, @deadLetters::bigint
from unnest(@spans::integer[]) as x (span), t
on conflict (span, at) do update set started = s.started + excluded.started,
  completed = s.completed + excluded.completed, failed = s.failed + excluded.failed,
  cancelled = s.cancelled + excluded.cancelled, steps = s.steps + excluded.steps,
  jobs_enqueued = s.jobs_enqueued + excluded.jobs_enqueued, jobs_completed = s.jobs_completed + excluded.jobs_completed,
  jobs_failed = s.jobs_failed + excluded.jobs_failed, jobs_dead = s.jobs_dead + excluded.jobs_dead,
  rejected = s.rejected + excluded.rejected, depth_critical = coalesce(excluded.depth_critical, s.depth_critical),
  depth_high = coalesce(excluded.depth_high, s.depth_high),
  depth_normal = coalesce(excluded.depth_normal, s.depth_normal),
  leased = coalesce(excluded.leased, s.leased), dead_letters = coalesce(excluded.dead_letters, s.dead_letters)

-- name: countForGauges, planned by index
select (select count(*) from (select from millrace.jobs where status = 'leased' limit @limit) capped)
  + (select coalesce(sum(length(ended) - bit_count(ended)), 0) from millrace.packs)::bigint as leased,
  (select count(*) from (select from millrace.dead_letters limit @limit) capped) as dead_letters

-- name: readSeries, planned by index
-- The steps of the window that are over, and before them the gauges as they were when it began: a gauge that did not
-- move was not written.
with t as (select floor(extract(epoch from (select millrace.clock())) / @span) * @span as until),
w as (select to_timestamp(t.until - @windowSeconds::integer) as since, to_timestamp(t.until) as until from t)
select w.since as window_since, s.*
from w left join lateral (
  (select * from millrace.counter_series where span = @span and at >= w.since and at < w.until)
  union all
  (select * from millrace.counter_series
    where span = @span and at < w.since and leased is not null order by at desc limit 1)
  union all
  (select * from millrace.counter_series
    where @span <> 300 and span = 300 and at <= w.since - interval '300 s' and leased is not null
    order by at desc limit 1)
) s on true
order by s.at, s.span desc

-- name: pruneSeries
with t as (select millrace.clock() as now),
of_flow as (delete from millrace.flow_series where at < (select now from t) - interval '1 hour')
delete from millrace.counter_series
where (span = 2 and at < (select now from t) - interval '1 hour')
  or (span = 10 and at < (select now from t) - interval '6 hours')
  or (span = 300 and at < (select now from t) - interval '8 days')
