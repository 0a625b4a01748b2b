-- What a relay has left behind when jobs are polled again.

-- name: releaseLeft
-- Jobs are polled now: what the relay has left has the time of a lease, and is claimed again. Not while a relay leads.
with due as materialized (
  select d.instance_id, d.execution, d.epoch from millrace.dispatches d
  where not exists (select from millrace.leaders l where l.name = @loop and l.until > (select millrace.clock()))
  limit @limit
),
found as materialized (
  select x.*, j.epoch = x.epoch and j.status = 'leased' and j.lease_until = millrace.endless() as is_endless
  from due x join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
  for update of j skip locked
),
gone as (
  delete from millrace.dispatches d using due x
  where d.instance_id = x.instance_id and d.execution = x.execution and d.epoch = x.epoch and (
    exists (select from found f
      where f.instance_id = x.instance_id and f.execution = x.execution and f.epoch = x.epoch)
    or not exists (select from millrace.jobs j where j.instance_id = x.instance_id and j.execution = x.execution))
)
update millrace.jobs j set lease_until = (select millrace.clock()) + j.lease_ms * interval '1 ms'
from found x where x.is_endless and j.instance_id = x.instance_id and j.execution = x.execution

-- name: findLeft
select exists (select from millrace.dispatches) as is_left,
  exists (select from millrace.leaders l where l.name = @loop and l.until > (select millrace.clock())) as is_led
