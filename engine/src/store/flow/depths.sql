-- How deep the queues are. A statement that adds or ends jobs appends a delta; the meter folds the deltas into one
-- number per queue and per gate.

-- name: lockGates
-- The lock does not wait: while another transaction holds a gate nothing is folded, and the deltas are read as is.
select g.name, g.live, g.high, g.low, g.shut
from millrace.gates g, (select set_config('synchronous_commit', 'off', true)) as relaxed
order by g.name
for update of g skip locked

-- name: foldDeltas
with gone as (
  delete from millrace.depth_deltas
  where id in (select d.id from millrace.depth_deltas d where d.id > @after order by d.id limit @limit)
  returning id, queue_id, lane, delta
),
by_queue as (
  insert into millrace.depths (queue_id, live)
  select queue_id, sum(delta) from gone group by queue_id having sum(delta) <> 0
  on conflict (queue_id) do update set live = depths.live + excluded.live
)
select count(*) as deltas, min(id) as lowest, max(id) as highest,
  coalesce(sum(delta) filter (where lane = 'critical'), 0) as critical,
  coalesce(sum(delta) filter (where lane = 'high'), 0) as high,
  coalesce(sum(delta) filter (where lane = 'normal'), 0) as normal,
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin,
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xmax
from gone

-- name: setGates
update millrace.gates g
set live = x.live, shut = x.shut,
  changed_at = case when x.shut = g.shut then g.changed_at else (select millrace.clock()) end
from @gates as x (name text, live bigint, shut boolean)
where g.name = x.name

-- name: moveFold
update millrace.depth_fold set after = @after where after < @after

-- name: recountDepths
with live as (
  -- What is there, without what the deltas have still to add.
  select x.queue_id, sum(x.n)::bigint as n
  from (
    select queue_id, count(*) as n from millrace.live_jobs group by queue_id
    union all select queue_id, -delta from millrace.depth_deltas
    union all select queue_id, 0 from millrace.depths
  ) x
  group by x.queue_id
),
by_queue as (
  insert into millrace.depths (queue_id, live)
  select l.queue_id, l.n
  from live l left join millrace.depths d on d.queue_id = l.queue_id
  where l.n <> coalesce(d.live, 0)
  on conflict (queue_id) do update set live = excluded.live
  returning queue_id
),
by_gate as (
  update millrace.gates g set live = x.n
  from (
    select w.name, coalesce((
      select sum(l.n) from live l join millrace.queues q on q.id = l.queue_id
      where q.definition_id = '' and w.name in (q.priority, 'total')
    ), 0) as n
    from millrace.gates w
  ) x
  where g.name = x.name and g.live <> x.n
  returning g.name
)
select (select count(*) from by_queue) + (select count(*) from by_gate) as mended

-- name: readDepths, planned by index
with fresh as (
  select d.queue_id, d.lane, sum(d.delta) as delta
  from millrace.depth_deltas d
  where d.id > (select f.after from millrace.depth_fold f)
  group by d.queue_id, d.lane
)
select g.name as gate, null::integer as queue_id, g.high, g.low, g.shut,
  g.live + coalesce((
    select sum(f.delta) from fresh f where g.name = f.lane or (g.name = 'total' and f.lane is not null)
  ), 0)::bigint as live
from millrace.gates g
union all
select null, x.queue_id, null, null, null, sum(x.live)::bigint
from (select queue_id, live from millrace.depths union all select queue_id, delta from fresh) x
group by x.queue_id
having sum(x.live) <> 0

-- name: readBacklog
select coalesce(sum(d.live), 0)::bigint as live,
  coalesce(array_agg(d.queue_id) filter (where d.live > 0), '{}') as queue_ids
from millrace.depths d join millrace.queues q on q.id = d.queue_id
where q.definition_id <> ''

-- name: countReady, planned by index
select count(*) as ready
from (
  select from unnest(@queueIds::integer[], @after::bigint[]) as w (queue_id, after)
  cross join lateral (
    select from millrace.jobs j where j.queue_id = w.queue_id and j.status = 'ready' and j.seq > w.after limit @limit
  ) ready
  limit @limit
) capped

-- name: listFirst, planned by index
select w.queue_id, greatest(0, extract(epoch from (select millrace.clock()) - j.created_at))::float8 as waited
from unnest(@queueIds::integer[], @after::bigint[]) as w (queue_id, after)
cross join lateral (
  select j.created_at from millrace.jobs j
  where j.queue_id = w.queue_id and j.status = 'ready' and j.seq > w.after
  order by j.seq
  limit 1
) j

-- name: measureLeases
-- A lease was extended last when as much of it was left as it is long; never before its claim.
select coalesce(max(x.age), 0) as seconds, coalesce(max(x.age / x.lease), 0) as leases
from (
  select j.lease,
    greatest(0,
      extract(epoch from t.now - greatest(j.lease_until - j.lease * interval '1 s', j.claimed_at))
    )::float8 as age
  from (
    (select lease_until, claimed_at, coalesce(lease_ms, @defaultLeaseMs::integer) / 1000.0::float8 as lease
    from millrace.jobs where status = 'leased' order by lease_until limit @limit)
    -- All jobs of a pack were claimed at once, and none of them has been extended.
    union all select lease_until, claimed_at, lease_ms / 1000.0::float8 from millrace.packs
  ) j, (select millrace.clock() as now) t
) x
