-- Events that a sink has not taken. The first of its key is due at next_at; those behind it have none until it leaves.

-- name: insertParked
insert into millrace.parked_events (sink, seq, event_id, key, reason, attempts, parked_at, next_at)
select @sink, x.seq, x.event_id, x.key, left(x.reason, 2000), x.attempts, t.now, case
    when x.delay_ms is not null then t.now + x.delay_ms * interval '1 ms'
    -- Its key was freed after the batch was read: it goes on by itself.
    when x.is_behind and not x.has_head and not exists (
      select from millrace.parked_events p where p.sink = @sink and p.key = x.key) then t.now
  end
from @parked as x (seq bigint, event_id text, key text, reason text, attempts integer, delay_ms bigint,
  is_behind boolean, has_head boolean), (select millrace.clock() as now) t
on conflict (sink, seq) do nothing

-- name: listDue
select p.attempts, e.seq, e.id, e.incarnation, e.type, e.key, e.payload, e.headers, e.created_at, false as is_behind
from millrace.parked_events p join millrace.events e on e.id = p.event_id
where p.sink = @sink and p.next_at <= (select millrace.clock())
order by p.next_at, p.seq limit @limit

-- name: deleteParked
-- The next one of the same key takes its turn.
with gone as (
  delete from millrace.parked_events p where p.sink = @sink and p.seq = @seq returning p.key
)
update millrace.parked_events n set next_at = (select millrace.clock())
from gone where n.sink = @sink and n.key = gone.key and n.seq = (
  select m.seq from millrace.parked_events m where m.sink = @sink and m.key = gone.key and m.seq > @seq
  order by m.seq limit 1)
  and not exists (
    select from millrace.parked_events f where f.sink = @sink and f.key = gone.key and f.seq < @seq)

-- name: postponeParked
update millrace.parked_events set attempts = @attempts, reason = left(@reason, 2000),
  next_at = (select millrace.clock()) + @delayMs::bigint * interval '1 ms'
where sink = @sink and seq = @seq
