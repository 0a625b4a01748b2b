-- Events of the outbox: written once, read in the order of their places.

-- name: insertEvents, planned plainly
-- Nothing where there is no room. The rows take their places in the order of the list.
insert into millrace.events (id, incarnation, type, key, payload, headers, created_at)
select x.id, (select incarnation from millrace.outbox), x.type, x.key, x.payload, x.headers, (select millrace.clock())
from @events as x (id text, type text, key text, payload jsonb, headers jsonb)
where (select millrace.has_room_for_events())
returning id, incarnation

-- name: appendEvents, planned plainly
-- However many wait.
insert into millrace.events (id, incarnation, type, key, payload, headers, created_at)
select x.id, (select incarnation from millrace.outbox), x.type, x.key, x.payload, x.headers, (select millrace.clock())
from @events as x (id text, type text, key text, payload jsonb, headers jsonb)

-- name: listExpectedTypes
-- The types of the next events only, because the outbox may be long, and of the instances that publish their life.
select next.type from (
  select e.type from millrace.events e
  where e.seq > coalesce((select s.after_seq from millrace.sinks s where s.name = @sink), 0)
  order by e.seq limit 1000) next
union
select 'workflow.events.' || d.id from (
  select distinct on (id) id, document from millrace.definitions order by id, version desc) d
where d.document::jsonb @> '{"events": true}'
order by 1

-- name: readLastSeq
select last_value as last_seq from millrace.event_seq

-- name: readTransactions
-- After the last place was read, never in one statement with it: the number of this transaction has to be the younger.
select pg_current_xact_id()::text::bigint as xid,
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin

-- name: listEvents
select e.seq, e.id, e.incarnation, e.type, e.key, e.payload, e.headers, e.created_at,
  e.key is not null and exists (
    select from millrace.parked_events p where p.sink = @sink and p.key = e.key
  ) as is_behind
from millrace.events e
where e.seq > coalesce(@aheadOf::bigint, (select s.after_seq from millrace.sinks s where s.name = @sink))
  and (@types::text[] is null or e.type = any(@types::text[]))
order by e.seq limit @limit
