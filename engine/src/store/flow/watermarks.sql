-- The watermarks of the gates of admission. How deep each priority is is in depths.sql.

-- name: setWatermarks
-- The gate is turned by its new marks at once: with no job coming or going, nothing else would turn it.
with above as (
  select d.lane, sum(d.delta) as delta from millrace.depth_deltas d
  where d.id > (select after from millrace.depth_fold) and d.lane is not null
  group by d.lane
),
turned as (
  select g.name, x.high, x.low,
    g.live + coalesce((select sum(above.delta) from above where g.name in (above.lane, 'total')), 0)
      >= case when g.shut then x.low_in_force else x.high_in_force end as shut
  from @gates as x (name text, high integer, low integer, high_in_force integer, low_in_force integer)
  join millrace.gates g on g.name = x.name
  where (g.high, g.low) is distinct from (x.high, x.low)
)
update millrace.gates g
set high = t.high, low = t.low, shut = t.shut,
  changed_at = case when g.shut = t.shut then g.changed_at else (select millrace.clock()) end
from turned t
where g.name = t.name
returning g.name, g.shut

-- name: listWatermarks
select g.name, g.high, g.low, c.at as changed_at, c.actor as changed_by
from millrace.gates g
left join lateral (
  select at, actor from millrace.changes
  where kind = 'watermarks' and (detail -> g.name is not null or detail -> 'reset' is not null)
  order by id desc limit 1
) c on true
