-- Signals for runs: kept until a step takes them.

-- name: insertSignals
insert into millrace.signals (instance_id, name, seq, payload, received_at)
select x.instance_id, x.name, nextval('millrace.signal_seq'), x.payload, x.received_at
from @signals as x (instance_id text, name text, payload json, received_at timestamptz)

-- name: releaseSignalled
-- A run that waited for it goes on; one that waits for something else waits on.
with released as (
  update millrace.jobs j
  set status = 'ready', seq = nextval('millrace.job_seq'), visible_at = null, waits_for = null
  from @signals as x (instance_id text, name text)
  where j.instance_id = x.instance_id and j.status = 'held' and x.name = any(string_to_array(j.waits_for, E'\n'))
  returning j.instance_id, j.queue_id
),
active as (
  update millrace.instances i set status = 'ACTIVE' from released r where i.id = r.instance_id and i.status = 'WAITING'
)
select queue_id from released

-- name: takeSignal, planned by index
-- Under the lease, as every record of a run: taken and recorded at once, or neither.
with mine as materialized (
  select j.instance_id from millrace.jobs j
  where j.instance_id = @instanceId and j.execution = @execution
    and j.status = 'leased' and j.epoch = @epoch and j.nonce = @nonce::uuid
  for update
),
first as materialized (
  select s.seq from millrace.signals s, mine
  where s.instance_id = @instanceId and s.name = @name and s.taken_by is null
  order by s.seq
  limit 1
),
taken as (
  update millrace.signals s set taken_by = @step from first
  where s.instance_id = @instanceId and s.name = @name and s.seq = first.seq
  returning s.payload
),
recorded as (
  insert into millrace.run_steps (instance_id, name, status, value, list_version, started_at, ended_at, detail)
  select @instanceId, @step, 'COMPLETED', taken.payload, @listVersion, @startedAt, (select millrace.clock()),
    @detail::json
  from taken
  on conflict (instance_id, name) do update
  set status = 'COMPLETED', value = excluded.value, ended_at = excluded.ended_at, seq = excluded.seq,
    detail = coalesce(excluded.detail, run_steps.detail)
)
select (select count(*) from mine) > 0 as held, (select payload from taken) as payload
