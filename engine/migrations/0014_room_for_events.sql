-- Room for events is counted from the oldest event that is kept: a new sink has the position 0, however many events
-- have come and gone before it, and must not shut the door for those.

create or replace function millrace.has_room_for_events() returns boolean language sql volatile as $$
  select coalesce(last.seq - waiting.after_seq < last.most, false)
    or last.seq - greatest(waiting.after_seq,
      coalesce((select e.seq - 1 from millrace.events e order by e.seq limit 1), last.seq)) < last.most
  from (select s.last_value as seq, o.high_watermark as most from millrace.event_seq s, millrace.outbox o) last,
    (select min(s.after_seq) as after_seq from millrace.sinks s) waiting
$$;
