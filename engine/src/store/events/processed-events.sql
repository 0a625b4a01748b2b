-- What each group of consumers has taken.

-- name: markEvent
-- Waits for another transaction that is about to mark the same event for the same group. Only earlier messages of a
-- lane can close it, and those were committed before this statement began: the look at the lane is not too early.
with marked as (
  insert into millrace.processed_events (event_id, consumer_group, processed_at)
  values (@eventId, @consumerGroup, (select millrace.clock()))
  on conflict (event_id, consumer_group) do nothing
  returning event_id
)
select exists (select from marked) as is_new, exists (
  select from millrace.consumer_lanes l where l.consumer = @consumer and l.lane = @lane) as is_held

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
