-- Sinks and their positions.

-- name: insertSink
-- A new one begins with the oldest event that is kept: what was published before there was a sink is not lost.
insert into millrace.sinks (name, kind, after_seq, created_at) values (@name, @kind, 0, (select millrace.clock()))
on conflict (name) do update set kind = excluded.kind where sinks.kind <> excluded.kind

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
  retry_at = millrace.next_try(failures)
where name = @sink
