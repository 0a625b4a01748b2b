-- The intake of standalone jobs.

-- name: enqueueJobs
-- Admission, jobs and depth at once: what is refused leaves no trace, and the depth is read as it is committed now.
with asked as materialized (
  select x.* from unnest(
      $1::text[], $2::integer[], $3::text[], $4::text[], $5::jsonb[], $6::integer[], $7::json[], $8::integer[], $9::bigint[], $10::text[], $11::text[],
      $12::text[], $13::text[], $14::boolean[], $15::uuid[], $16::text[], $17::integer[], $22::integer[], $23::text[], $24::bytea[], $25::timestamptz[], $26::text[]
    ) as x (id, queue_id, lane, job_type, payload, retries, retry, run_ms, delay_ms, fair_key, limit_key,
      downstream, replay_of, is_gated, nonce, worker_id, lease_ms, type_run_ms, key, digest, created_at, trace_context)
),
gate as materialized (select millrace.turn_gates($18::integer, $19::integer, $20::integer, $21::integer) as shut),
admitted as materialized (select x.* from asked x, gate where not (x.is_gated and gate.shut && array[x.lane, 'total'])),
-- The unique constraint is the truth: a key that was here before brings no job.
fresh as (
  insert into millrace.job_keys (job_type, key, job_id, digest)
  select job_type, key, id, digest from admitted where key is not null order by job_type, key
  on conflict (job_type, key) do nothing returning job_id
),
made as (
  insert into millrace.jobs (
    instance_id, execution, queue_id, status, seq, step_id, retries_left, retry, run_ms, payload, created_at, visible_at, held_reason,
    fair_key, limit_key, downstream, replay_of, epoch, nonce, worker_id, lease_ms, lease_until, run_until, claimed_at, trace_context
  )
  select x.id, 0, x.queue_id, case when x.nonce is not null then 'leased' when x.delay_ms > 0 or x.limit_key is not null then 'held' else 'ready' end,
    nextval('millrace.job_seq'), x.job_type, x.retries, x.retry, x.run_ms, x.payload, x.created_at,
    case when x.delay_ms > 0 then t.now + x.delay_ms * interval '1 ms' end, case when x.delay_ms > 0 then 'delay' when x.limit_key is not null then 'limit' end,
    x.fair_key, x.limit_key, x.downstream, x.replay_of, case when x.nonce is not null then 1 else 0 end, x.nonce, x.worker_id, x.lease_ms,
    l.now + least(x.lease_ms, coalesce(x.run_ms, x.type_run_ms)) * interval '1 ms', l.now + coalesce(x.run_ms, x.type_run_ms) * interval '1 ms', l.now, x.trace_context
  from admitted x
  cross join (select millrace.clock() as now) t
  -- The time of a lease, where there is one.
  cross join lateral (select case when x.nonce is not null then t.now end as now) l
  where x.key is null or x.id in (select job_id from fresh)
  returning instance_id, queue_id, lease_until
),
counted as (
  insert into millrace.depth_deltas (queue_id, lane, delta)
  select m.queue_id, q.priority, m.n from (select queue_id, count(*) as n from made group by queue_id) m join millrace.queues q on q.id = m.queue_id
)
select array(select instance_id from made) as ids, array(select instance_id from made where lease_until is not null) as leased_ids,
  array(select lease_until from made where lease_until is not null) as leases, (select shut from gate) as shut

-- name: turnGates
select millrace.turn_gates($1::integer, $2::integer, $3::integer, $4::integer) as shut

-- name: enqueueAlike
-- Jobs of one queue that differ in nothing but their payloads: a flood is mostly that, and this takes half as long.
with gate as materialized (select millrace.turn_gates($1::integer, $2::integer, $3::integer, $4::integer) as shut),
made as (
  insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, retry, run_ms, payload, created_at, downstream, trace_context)
  select x.id, 0, $5::integer, 'ready', nextval('millrace.job_seq'), $7, $8::integer, $9::json, $10::integer, x.payload, x.created_at, $11, x.trace_context
  from unnest($13::text[], $14::jsonb[], $15::timestamptz[], $16::text[]) as x (id, payload, created_at, trace_context), gate
  where not ($12::boolean and gate.shut && array[$6::text, 'total'])
  returning 1
),
counted as (
  insert into millrace.depth_deltas (queue_id, lane, delta) select $5::integer, $6::text, count(*) from made having count(*) > 0
)
select (select count(*) from made) as made, (select shut from gate) as shut
