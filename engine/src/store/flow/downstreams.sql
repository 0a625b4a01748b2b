-- Downstreams: what each can take, and how it stands. The claim that keeps their pace has its statements in claims.sql.

-- name: setDownstream
insert into millrace.downstreams as d (name, per_second, concurrency, adaptive)
values (@name, @perSecond, @concurrency, @adaptive)
on conflict (name) do update set
  per_second = excluded.per_second, concurrency = excluded.concurrency, adaptive = excluded.adaptive,
  -- What it was slowed down to means nothing once its push-back is not listened to.
  share = case when excluded.adaptive then d.share else 1 end,
  closed_until = case when excluded.adaptive then d.closed_until else '-infinity' end
where (d.per_second, d.concurrency, d.adaptive)
  is distinct from (excluded.per_second, excluded.concurrency, excluded.adaptive)
returning name

-- name: deleteDownstream
delete from millrace.downstreams where name = @name returning name

-- name: listDownstreams, planned by index
select n.name, d.per_second, d.concurrency, coalesce(d.adaptive, false) as adaptive, coalesce(d.share, 1) as share,
  case when isfinite(d.slowed_at) then d.slowed_at end as slowed_at,
  case when d.closed_until > t.now then d.closed_until end as closed_until,
  (select count(*) from millrace.jobs j where j.downstream = n.name and j.status = 'leased') as in_flight,
  (select count(*) from (
    select from millrace.queues q join millrace.jobs j on j.queue_id = q.id and j.status = 'ready'
    where q.downstream = n.name limit @countTo
  ) capped) as waiting,
  c.at as changed_at, c.actor as changed_by, t.now
from (select name from millrace.downstreams union select downstream from millrace.queues where downstream <> '') n
left join millrace.downstreams d on d.name = n.name
left join lateral (
  select at, actor from millrace.changes where kind = 'downstream' and name = d.name order by id desc limit 1
) c on true
cross join (select millrace.clock() as now) t
where @name::text is null or n.name = @name
order by n.name
