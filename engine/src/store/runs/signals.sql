-- Signals for runs: kept until a step takes them.

-- name: insertSignals
insert into millrace.signals (instance_id, name, seq, payload, received_at)
select x.instance_id, x.name, nextval('millrace.signal_seq'), x.payload, x.received_at
from unnest($1::text[], $2::text[], $3::json[], $4::timestamptz[]) as x (instance_id, name, payload, received_at)

-- name: releaseSignalled
update millrace.jobs j
set status = 'ready', seq = nextval('millrace.job_seq'), visible_at = null, waits_for = null
from unnest($1::text[], $2::text[]) as x (instance_id, name)
where j.instance_id = x.instance_id and j.status = 'held' and x.name = any(string_to_array(j.waits_for, E'\n'))
returning j.queue_id

-- name: takeSignal, planned by index
-- Under the lease, as every record of a run: taken and recorded at once, or neither.
with mine as materialized (
  select j.instance_id from millrace.jobs j
  where j.instance_id = $1 and j.execution = $2 and j.status = 'leased' and j.epoch = $3 and j.nonce = $4::uuid
  for update
),
first as materialized (
  select s.seq from millrace.signals s, mine
  where s.instance_id = $1 and s.name = $5 and s.taken_by is null
  order by s.seq
  limit 1
),
taken as (
  update millrace.signals s set taken_by = $6 from first
  where s.instance_id = $1 and s.name = $5 and s.seq = first.seq
  returning s.payload
),
recorded as (
  insert into millrace.run_steps (instance_id, name, status, value, list_version, started_at, ended_at)
  select $1, $6, 'COMPLETED', taken.payload, $7, $8, (select millrace.clock()) from taken
  on conflict (instance_id, name) do update set status = 'COMPLETED', value = excluded.value, ended_at = excluded.ended_at
)
select (select count(*) from mine) > 0 as held, (select payload from taken) as payload
