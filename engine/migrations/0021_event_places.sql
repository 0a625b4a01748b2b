-- Readers are shown the order in which events were published: ids are in the order of time, and alike within a millisecond.

create or replace view millrace_views.event as
select e.id || '-' || e.incarnation as id, e.type as event_type, e.key, e.payload, e.headers, e.created_at,
  case when p.event_id is null and s.after_seq >= e.seq then (
    select max(m.at) from millrace.sinks k cross join lateral (
      select at from millrace.sink_moves where sink = k.name and to_seq >= e.seq order by to_seq limit 1) m
  ) end as published_at,
  p.event_id is not null as parked, e.seq as place
from millrace.events e
cross join (select min(after_seq) as after_seq from millrace.sinks) s
left join (select distinct event_id from millrace.parked_events) p on p.event_id = e.id;
