-- Sinks and their positions.

-- name: insertSink
-- A new one begins with the oldest event that is kept: what was published before there was a sink is not lost.
insert into millrace.sinks (name, kind, after_seq, created_at) values (@name, @kind, 0, (select millrace.clock()))
on conflict (name) do update set kind = excluded.kind where sinks.kind <> excluded.kind

-- name: listSinks
-- Places of transactions that were rolled back count as events until the sink has passed them.
select s.name, s.kind, (select last_value from millrace.event_seq) - s.after_seq as depth,
  coalesce(greatest(0, extract(epoch from (select millrace.clock()) - (
    select e.created_at from millrace.events e where e.seq > s.after_seq order by e.seq limit 1)))::float8, 0)
    as lag_seconds,
  (select count(*) from millrace.parked_events p where p.sink = s.name) as parked,
  s.moved_at, s.failures, s.last_error, s.retry_at
from millrace.sinks s
order by s.name

-- name: findSink
select s.after_seq, s.retry_at > (select millrace.clock()) as rests from millrace.sinks s where s.name = @sink

-- name: lockSink
select s.after_seq from millrace.sinks s where s.name = @sink for update

-- name: moveSink
with moved as (
  update millrace.sinks s set after_seq = @toSeq, moved_at = (select millrace.clock()), failures = 0, last_error = null,
    retry_at = null
  where s.name = @sink
)
insert into millrace.sink_moves (sink, to_seq, at) values (@sink, @toSeq, (select millrace.clock()))

-- name: stopSink
update millrace.sinks set failures = failures + 1, last_error = left(@error, 2000),
  retry_at = greatest(millrace.next_try(failures), (select millrace.clock()) + @restMs::bigint * interval '1 ms')
where name = @sink
