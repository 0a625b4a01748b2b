-- What each group of consumers has taken.

-- name: markEvents
-- Waits for another transaction that is about to mark one of the events for the same group; all are marked in one
-- order, so that two such transactions cannot wait for each other. Only earlier messages of a lane can close it, and
-- those were committed before this statement began: the look at the lane is not too early.
with asked as materialized (
  select * from unnest(@eventIds::text[], @lanes::text[]) with ordinality as a (event_id, lane, place)
),
marked as (
  insert into millrace.processed_events (event_id, consumer_group, processed_at)
  select a.event_id, @consumerGroup, (select millrace.clock()) from asked a order by a.event_id
  on conflict (event_id, consumer_group) do nothing
  returning event_id
)
select exists (select from marked m where m.event_id = a.event_id) as is_new, exists (
  select from millrace.consumer_lanes l where l.consumer = @consumer and l.lane = a.lane) as is_held
from asked a order by a.place

-- name: pruneProcessed
with gone as (
  delete from millrace.processed_events where (event_id, consumer_group) in (
    select event_id, consumer_group from millrace.processed_events
    where processed_at < (select millrace.clock()) - @retainMs::bigint * interval '1 ms'
    order by processed_at limit @limit
  )
  returning event_id
)
select count(*) as gone from gone
