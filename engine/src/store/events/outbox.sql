-- The outbox as a whole: its incarnation, and how much it may hold.

-- name: readOutbox
select o.incarnation, o.high_watermark, millrace.waiting_events() as waiting,
  coalesce(o.lineage <> millrace.lineage(), false) as has_moved
from millrace.outbox o

-- name: setHighWatermark
update millrace.outbox set high_watermark = @most where high_watermark <> @most

-- name: renewIncarnation
-- The events of the former incarnation keep theirs. The first of the new one tells consumers that some may be missing.
with former as (
  select o.incarnation from millrace.outbox o for update
), renewed as (
  update millrace.outbox set incarnation = left(gen_random_uuid()::text, 8), lineage = millrace.lineage()
  returning incarnation
)
insert into millrace.events (id, incarnation, type, payload, headers, created_at)
select millrace.new_id(), r.incarnation, 'workflow.incarnation',
  jsonb_build_object('former', f.incarnation, 'fresh', r.incarnation), '{}', millrace.clock()
from former f, renewed r
returning payload ->> 'former' as former, payload ->> 'fresh' as fresh

-- name: keepIncarnation
update millrace.outbox set lineage = millrace.lineage()
