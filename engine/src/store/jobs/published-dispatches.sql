-- Messages that Kafka has, and how far their consumers have come.

-- name: listPlaces
-- Partitions with messages that the consumers have not passed: one step of the index for each.
with recursive places as (
  (select d.job_type, d.partition from millrace.dispatches d where d.published_at is not null
    order by d.job_type, d.partition limit 1)
  union all
  select n.job_type, n.partition from places p cross join lateral (
    select d.job_type, d.partition from millrace.dispatches d
    where d.published_at is not null and (d.job_type, d.partition) > (p.job_type, p.partition)
    order by d.job_type, d.partition limit 1
  ) n
)
select p.job_type, p.partition, f.log_offset as first_offset, l.log_offset as last_offset,
  extract(epoch from (select millrace.clock()) - f.published_at)::float8 as waiting_seconds
from places p
cross join lateral (
  select d.log_offset, d.published_at from millrace.dispatches d where d.published_at is not null
    and d.job_type = p.job_type and d.partition = p.partition order by d.log_offset limit 1
) f
cross join lateral (
  select d.log_offset from millrace.dispatches d where d.published_at is not null
    and d.job_type = p.job_type and d.partition = p.partition order by d.log_offset desc limit 1
) l

-- name: releaseDispatches
-- Those whose messages the consumers have behind them, by their places; and all of them where jobs are polled, unless
-- the relay leads that has left them. The report of a job may still come; from here on it has the time of a lease. A
-- job that another transaction holds is left for the next look.
with due as materialized (
  (select d.instance_id, d.execution, d.epoch
  from @places as x (job_type text, partition integer, log_offset bigint)
  cross join lateral (
    select * from millrace.dispatches d where d.published_at is not null
      and d.job_type = x.job_type and d.partition = x.partition and d.log_offset < x.log_offset
    order by d.log_offset limit @limit
  ) d)
  union all
  (select d.instance_id, d.execution, d.epoch from millrace.dispatches d
  where @leftBy::text is not null and not exists (
    select from millrace.leaders l where l.name = @leftBy and l.until > (select millrace.clock()))
  limit @limit)
),
found as materialized (
  select x.*, j.epoch = x.epoch and j.status = 'leased' and j.lease_until = millrace.endless() as is_endless
  from due x join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
  for update of j skip locked
),
gone as (
  delete from millrace.dispatches d using due x
  where d.instance_id = x.instance_id and d.execution = x.execution and d.epoch = x.epoch and (
    exists (select from found f
      where f.instance_id = x.instance_id and f.execution = x.execution and f.epoch = x.epoch)
    or not exists (select from millrace.jobs j where j.instance_id = x.instance_id and j.execution = x.execution))
  returning 1
),
ended as (
  update millrace.jobs j set lease_until = (select millrace.clock()) + j.lease_ms * interval '1 ms'
  from found x where x.is_endless and j.instance_id = x.instance_id and j.execution = x.execution
  returning 1
)
select (select count(*) from gone) as released, (select count(*) from ended) as awaited

-- name: listLost
-- Messages that are not in their topic: it was made anew, or has removed them before they were read.
select d.instance_id, d.execution, d.epoch, d.job_type
from @places as x (job_type text, partition integer, from_offset bigint, to_offset bigint)
cross join lateral (
  select * from millrace.dispatches d where d.published_at is not null
    and d.job_type = x.job_type and d.partition = x.partition
    and d.log_offset >= x.from_offset and d.log_offset <= x.to_offset
  order by d.log_offset limit @limit
) d

-- name: findEarlier
-- A message of an earlier claim of the job that is not known to be passed.
select d.job_type, d.partition, d.log_offset
from millrace.dispatches d join millrace.jobs j on j.instance_id = d.instance_id and j.execution = d.execution
where d.instance_id = @instance_id and d.execution = @execution and d.epoch < j.epoch
