-- The watermarks of the gates of admission. How deep the lanes are is in depths.sql.

-- name: setWatermarks
-- The gate is turned by its new marks at once: with nothing coming or going, nobody else would.
with above as (
  select d.lane, sum(d.delta) as delta from millrace.depth_deltas d
  where d.id > (select after from millrace.depth_fold) and d.lane is not null
  group by d.lane
),
turned as (
  select g.name, x.high, x.low,
    g.live + coalesce((select sum(above.delta) from above where g.name in (above.lane, 'total')), 0)
      >= case when g.shut then x.low_in_force else x.high_in_force end as shut
  from unnest($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::integer[]) as x (name, high, low, high_in_force, low_in_force)
  join millrace.gates g on g.name = x.name
  where (g.high, g.low) is distinct from (x.high, x.low)
)
update millrace.gates g
set high = t.high, low = t.low, shut = t.shut, changed_at = case when g.shut = t.shut then g.changed_at else (select millrace.clock()) end
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
