-- What the doctor asks of the outbox. Sinks have no instance: each is told by its name.

-- name: laggingSinks, planned whole
-- A write transaction on any database of the server holds back what was published after it began.
-- The oldest one is named.
select 'sink ' || s.name as instance_id, 'since ' || e.created_at
  || case when l.name is null then ', no process leads it' else '' end
  || coalesce(', held back by the transaction of pid ' || a.pid || ', open since ' || a.xact_start, '')
  || coalesce(', failed ' || s.failures || ' times: ' || s.last_error, '') as detail
from millrace.sinks s
cross join lateral (
  select e.created_at from millrace.events e where e.seq > s.after_seq order by e.seq limit 1) e
left join millrace.leaders l on l.name = 'sink:' || s.name and l.until > (select millrace.clock())
left join lateral (
  select o.pid, o.xact_start from pg_stat_activity o
  where o.backend_xid is not null and o.pid <> pg_backend_pid() order by age(o.backend_xid) desc limit 1
) a on a.xact_start < e.created_at
where e.created_at < (select millrace.clock()) - interval '30 s' and @fromId::text is not null
order by e.created_at, s.name limit @limit

-- name: parkedEvents, planned whole
-- Events behind one of the same key have had no attempt: they follow it.
select 'sink ' || p.sink as instance_id, count(*) || ' are parked; the first that waits for an operator: '
  || (array_agg(p.reason order by p.seq) filter (where p.attempts > 0 and p.next_at is null))[1] as detail
from millrace.parked_events p
where @fromId::text is not null
group by p.sink having bool_or(p.attempts > 0 and p.next_at is null)
order by 1 limit @limit

-- name: fullOutbox, planned whole
select 'outbox' as instance_id, o.waiting || ' events wait of ' || o.high_watermark || ' at most, the longest for '
  || coalesce((select 'sink ' || s.name from millrace.sinks s order by s.after_seq limit 1), 'the first sink') as detail
from (select w.high_watermark, millrace.waiting_events() as waiting from millrace.outbox w) o
where o.waiting >= 0.8 * o.high_watermark and @fromId::text is not null
order by 1 limit @limit

-- name: movedOutbox, planned whole
select 'outbox' as instance_id, 'incarnation ' || o.incarnation || ' was of server and timeline ' || o.lineage
  || ', this is ' || o.here as detail
from (select w.incarnation, w.lineage, millrace.lineage() as here from millrace.outbox w) o
where o.lineage <> o.here and @fromId::text is not null
order by 1 limit @limit
