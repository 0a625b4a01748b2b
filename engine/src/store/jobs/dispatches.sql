-- Jobs on their way through Kafka. The relay has claimed them, and their leases have no end until the consumers have
-- passed the message; then they end like any other, and the row is deleted.

-- name: insertDispatches
insert into millrace.dispatches (instance_id, execution, epoch, dedup_id, job_type, created_at)
select x.instance_id, x.execution, x.epoch, x.dedup_id, x.job_type, (select millrace.clock())
from @dispatches as x (instance_id text, execution integer, epoch integer, dedup_id text, job_type text)

-- name: listUnpublished
-- With the job as its claimant saw it; without, where it has ended or is another claimant's.
select d.instance_id, d.execution, d.epoch, d.dedup_id, d.job_type, d.by_reference, d.created_at,
  j.queue_id, j.step_id, j.nonce, j.retries_left, j.run_ms, i.definition_id, i.business_key, j.effect_key,
  coalesce(i.variables, i.input, j.payload) as variables, coalesce(i.trace_context, j.trace_context) as trace_context
from millrace.dispatches d
left join millrace.jobs j on j.instance_id = d.instance_id and j.execution = d.execution and j.epoch = d.epoch
  and j.status = 'leased'
left join millrace.instances i on i.id = j.instance_id and j.execution > 0
where d.published_at is null
order by d.dedup_id
limit @limit

-- name: markPublished
update millrace.dispatches d
set partition = x.partition, log_offset = x.log_offset, published_at = (select millrace.clock())
from @places as x (instance_id text, execution integer, epoch integer, partition integer, log_offset bigint)
where d.instance_id = x.instance_id and d.execution = x.execution and d.epoch = x.epoch

-- name: markByReference
update millrace.dispatches d set by_reference = true
from @dispatches as x (instance_id text, execution integer, epoch integer)
where d.instance_id = x.instance_id and d.execution = x.execution and d.epoch = x.epoch

-- name: deleteDispatches
delete from millrace.dispatches d
using @dispatches as x (instance_id text, execution integer, epoch integer)
where d.instance_id = x.instance_id and d.execution = x.execution and d.epoch = x.epoch

-- name: holdDispatched
-- There is no message: the job is claimed again after a while. One that another transaction holds is left for later.
with asked as materialized (
  select * from @dispatches as x (instance_id text, execution integer, epoch integer, reason text, delay_ms bigint)
),
found as materialized (
  select x.*, j.status = 'leased' and j.epoch = x.epoch as is_ours
  from asked x join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution
  for update of j skip locked
),
gone as (
  delete from millrace.dispatches d using asked x
  where d.instance_id = x.instance_id and d.execution = x.execution and d.epoch = x.epoch and (
    exists (select from found f
      where f.instance_id = x.instance_id and f.execution = x.execution and f.epoch = x.epoch)
    or not exists (select from millrace.jobs j where j.instance_id = x.instance_id and j.execution = x.execution))
)
update millrace.jobs j
set status = 'held', seq = nextval('millrace.job_seq'), lease_until = null, run_until = null, held_reason = x.reason,
  visible_at = (select millrace.clock()) + x.delay_ms * interval '1 ms'
from found x
where x.is_ours and j.instance_id = x.instance_id and j.execution = x.execution

-- name: countUnpublished
select (select count(*) from millrace.dispatches where published_at is null) + (
  select count(*) from millrace.jobs j where j.status = 'ready' and j.queue_id = any(@queueIds::integer[])
) as waiting

-- name: findVariables
-- The variables of a leased job: what its claim returned, or would return now.
select coalesce(i.variables, i.input, j.payload) as variables
from millrace.live_jobs_of(@instance_id) j left join millrace.instances i on i.id = j.instance_id and j.execution > 0
where j.execution = @execution and j.status = 'leased'

-- name: listLate
-- By job type, those that wait longest first.
select d.job_type, count(*) as late, min(d.created_at) as oldest_at
from millrace.dispatches d
where d.published_at is null and d.created_at < (select millrace.clock()) - @lateMs::bigint * interval '1 ms'
group by d.job_type order by 3, 1 limit @limit
