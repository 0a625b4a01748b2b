-- Sinks in the hands of an operator: who sends to each, and an end to one.

-- name: listRelays
-- Who sends to each, and how many places a second it has passed within the last minute, or since its first move.
select s.name, s.after_seq, s.created_at, l.holder, greatest(0, s.after_seq - coalesce(
    (select m.to_seq from millrace.sink_moves m where m.sink = s.name and m.at <= t.now - interval '60 s'
      order by m.to_seq desc limit 1),
    (select m.to_seq from millrace.sink_moves m where m.sink = s.name order by m.to_seq limit 1),
    s.after_seq))::float8 / 60 as per_second
from (select millrace.clock() as now) t cross join millrace.sinks s
left join millrace.leaders l on l.name = 'sink:' || s.name and l.until > t.now

-- name: findSinkLeader
select l.holder from millrace.leaders l where l.name = 'sink:' || @sink and l.until > (select millrace.clock())

-- name: deleteSink
-- With all that is kept for it alone. A relay that lives keeps its term, and finds nothing to send to.
with gone as (delete from millrace.sinks s where s.name = @sink),
parked as (delete from millrace.parked_events p where p.sink = @sink),
led as (delete from millrace.leaders l where l.name = 'sink:' || @sink and l.until <= (select millrace.clock()))
delete from millrace.sink_moves m where m.sink = @sink

-- name: noteEvents
-- Among the changes that operators make.
insert into millrace.changes (at, actor, kind, name, detail)
values ((select millrace.clock()), @actor, @kind, @name, @detail)
