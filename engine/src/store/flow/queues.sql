-- Queues: what a worker may claim, as one number.

-- name: reviveQueues
update millrace.queues q set retired_at = null, retired_in = null
from (
  select w.id from @keys as x (priority text, job_type text, definition_id text, downstream text, is_fair boolean)
  join millrace.queues w on w.job_type = x.job_type and w.priority = x.priority and w.definition_id = x.definition_id
    and w.downstream = x.downstream and w.is_fair = x.is_fair
  where w.retired_at is not null
  order by w.id for update of w
) back
where q.id = back.id

-- name: makeQueues
insert into millrace.queues (priority, job_type, definition_id, downstream, is_fair)
select * from @keys as x (priority text, job_type text, definition_id text, downstream text, is_fair boolean)
order by 2, 1, 3, 4, 5
on conflict do nothing

-- name: listQueues
-- The sum of all `mark`s is what the pulse compares: it changes when a queue comes, is retired, comes back or goes.
select id, priority, job_type, definition_id, downstream, is_fair, retired_at is not null as is_retired,
  hashint4(case when retired_at is null then id else -id end) as mark
from millrace.queues order by id

-- name: notePolled
update millrace.queues q set polled_at = (select millrace.clock())
from (
  select w.id from millrace.queues w
  where w.id = any(@ids::integer[])
    and (w.polled_at is null or w.polled_at < (select millrace.clock()) - interval '10 s')
  order by w.id for update of w skip locked
) due
where q.id = due.id

-- name: retireQueues
-- By the counters, which may be behind: a queue that is retired too early loses nothing.
update millrace.queues q set retired_at = (select millrace.clock()), retired_in = pg_current_xact_id()
from (
  select w.id from millrace.queues w
  where w.retired_at is null and coalesce(w.polled_at < (select millrace.clock()) - @quietMs * interval '1 ms', true)
    and not exists (select from millrace.depths d where d.queue_id = w.id and d.live <> 0)
    and not exists (select from millrace.depth_deltas d where d.queue_id = w.id)
  order by w.id for update of w skip locked
) idle
where q.id = idle.id

-- name: listRemovable
select id from millrace.queues q
where q.retired_at < (select millrace.clock()) - @retiredMs * interval '1 ms'
  and coalesce(q.polled_at < (select millrace.clock()) - @retiredMs * interval '1 ms', true)
  and q.retired_in < pg_snapshot_xmin(pg_current_snapshot())
order by id

-- name: removeQueues, planned whole
-- Every older transaction is over, so what it brought is seen here. A queue that something still names waits once more.
with old as materialized (
  select id from millrace.queues
  where id = any(@ids::integer[]) and retired_at < (select millrace.clock()) - @retiredMs * interval '1 ms'
  for update skip locked
),
named as materialized (
  select queue_id from millrace.jobs where queue_id = any(@ids::integer[])
  union select queue_id from millrace.packs where queue_id = any(@ids::integer[])
  union select queue_id from millrace.depth_deltas where queue_id = any(@ids::integer[])
  union select queue_id from millrace.dead_letters where queue_id = any(@ids::integer[])
  union select queue_id from millrace.history where queue_id = any(@ids::integer[])
),
kept as (
  update millrace.queues q set retired_at = (select millrace.clock()), retired_in = pg_current_xact_id()
  from old o join named n on n.queue_id = o.id where q.id = o.id
),
gone as (
  delete from millrace.queues q using old o
  where q.id = o.id and o.id not in (select queue_id from named) returning q.id, q.job_type
),
counted as (delete from millrace.depths d using gone g where d.queue_id = g.id)
select job_type from gone
