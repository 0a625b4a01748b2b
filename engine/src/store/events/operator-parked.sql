-- Parked events in the hands of an operator: looked at, replayed, discarded.

-- name: listParked, planned anew
-- In the order of publishing, sink by sink. Behind: an earlier one of its key is parked too.
select p.sink, p.seq, p.key, p.reason, p.attempts, p.parked_at, p.next_at, e.id, e.incarnation, e.type, e.created_at,
  p.key is not null and exists (
    select from millrace.parked_events f where f.sink = p.sink and f.key = p.key and f.seq < p.seq
  ) as is_behind
from millrace.parked_events p join millrace.events e on e.id = p.event_id
where (p.sink, p.seq) > (@afterSink, @afterSeq::bigint) and (@sink::text is null or p.sink = @sink)
  and (@type::text is null or e.type = @type) and (@key::text is null or p.key = @key)
order by p.sink, p.seq limit @limit

-- name: countParked, planned anew
-- All that match, and those of them that no earlier one of their key keeps back.
select count(*) as total, count(*) filter (where p.key is null or not exists (
    select from millrace.parked_events f where f.sink = p.sink and f.key = p.key and f.seq < p.seq)) as first
from millrace.parked_events p join millrace.events e on e.id = p.event_id
where p.sink = @sink and (@type::text is null or e.type = @type) and (@key::text is null or p.key = @key)

-- name: findParked
select p.seq, p.key is not null and exists (
    select from millrace.parked_events f where f.sink = p.sink and f.key = p.key and f.seq < p.seq
  ) as is_behind
from millrace.parked_events p
where p.event_id = @eventId and p.sink = @sink

-- name: replayParked
update millrace.parked_events set next_at = (select millrace.clock()), attempts = 0 where sink = @sink and seq = @seq

-- name: replayMatching, planned anew
-- Events behind others of their key follow them.
with chosen as (
  select p.seq from millrace.parked_events p join millrace.events e on e.id = p.event_id
  where p.sink = @sink and (@type::text is null or e.type = @type) and (@key::text is null or p.key = @key)
    and (p.key is null or not exists (
      select from millrace.parked_events f where f.sink = p.sink and f.key = p.key and f.seq < p.seq))
  order by p.seq limit @limit
),
sent as (
  update millrace.parked_events p set next_at = (select millrace.clock()), attempts = 0
  from chosen c where p.sink = @sink and p.seq = c.seq returning p.seq
)
select count(*) as changed from sent

-- name: discardMatching, planned anew
-- For each key, the first remaining event may be sent now if it was behind one that is gone.
with chosen as (
  select p.seq from millrace.parked_events p join millrace.events e on e.id = p.event_id
  where p.sink = @sink and (@type::text is null or e.type = @type) and (@key::text is null or p.key = @key)
  order by p.seq limit @limit
),
gone as (
  delete from millrace.parked_events p using chosen c where p.sink = @sink and p.seq = c.seq returning p.seq, p.key
),
remaining as (
  select distinct on (n.key) n.key, n.seq from millrace.parked_events n
  where n.sink = @sink and n.key in (select g.key from gone g) and n.seq not in (select c.seq from chosen c)
  order by n.key, n.seq
),
freed as (
  update millrace.parked_events n set next_at = (select millrace.clock())
  from remaining r where n.sink = @sink and n.seq = r.seq
    and r.seq > (select min(g.seq) from gone g where g.key = r.key)
)
select count(*) as changed from gone
