-- The intake of standalone jobs.

-- name: enqueueJobs
-- Admission, jobs and depth at once: what is refused leaves no trace, and the depth is read as it is committed now.
with gate as materialized (
  select millrace.turn_gates(@high::integer, @low::integer, @totalHigh::integer, @totalLow::integer) as shut
),
admitted as materialized (
  select x.* from gate, @jobs as x (id text, queue_id integer, priority text, job_type text, payload jsonb,
    retries integer, retry json, run_ms integer, type_run_ms integer, delay_ms bigint, fair_key text, limit_key text,
    downstream text, replay_of text, effect_key text, is_gated boolean, nonce uuid, worker_id text, lease_ms integer,
    key text, digest bytea, created_at timestamptz, trace_context text)
  where not (x.is_gated and gate.shut && array[x.priority, 'total'])
),
-- The unique constraint is the truth: a key that was here before brings no job.
fresh as (
  insert into millrace.job_keys (job_type, key, job_id, digest)
  select job_type, key, id, digest from admitted where key is not null order by job_type, key
  on conflict (job_type, key) do nothing returning job_id
),
-- Leased where a caller waits for the job, held for a delay or until its limit has room, else ready.
made as (
  insert into millrace.jobs (instance_id, execution, queue_id, seq, step_id, retries_left, retry, run_ms, payload,
    created_at, fair_key, limit_key, downstream, replay_of, effect_key, trace_context, nonce, worker_id, lease_ms,
    status, visible_at, held_reason, epoch, claimed_at, lease_until, run_until)
  select x.id, 0, x.queue_id, nextval('millrace.job_seq'), x.job_type, x.retries, x.retry, x.run_ms, x.payload,
    x.created_at, x.fair_key, x.limit_key, x.downstream, x.replay_of, x.effect_key, x.trace_context, x.nonce,
    x.worker_id, x.lease_ms,
    case when x.nonce is not null then 'leased' when s.held_reason is not null then 'held' else 'ready' end,
    case when x.delay_ms > 0 then t.now + x.delay_ms * interval '1 ms' end, s.held_reason, (x.nonce is not null)::int,
    s.leased_at, s.leased_at + least(x.lease_ms, s.run_ms) * interval '1 ms', s.leased_at + s.run_ms * interval '1 ms'
  from admitted x, (select millrace.clock() as now) t, lateral (
    select case when x.delay_ms > 0 then 'delay' when x.limit_key is not null then 'limit' end as held_reason,
      case when x.nonce is not null then t.now end as leased_at, coalesce(x.run_ms, x.type_run_ms) as run_ms) s
  where x.key is null or x.id in (select job_id from fresh) returning instance_id, queue_id, lease_until
),
-- The depth of their queues and priorities.
counted as (insert into millrace.depth_deltas (queue_id, lane, delta) select m.queue_id, q.priority, m.n
  from (select queue_id, count(*) as n from made group by queue_id) m join millrace.queues q on q.id = m.queue_id)
select array(select instance_id from made) as ids, (select shut from gate) as shut,
  array(select instance_id from made where lease_until is not null) as leased_ids,
  array(select lease_until from made where lease_until is not null) as leases

-- name: turnGates
select millrace.turn_gates(@high::integer, @low::integer, @totalHigh::integer, @totalLow::integer) as shut

-- name: enqueueAlike, planned plainly
-- Jobs of one queue that differ in nothing but their payloads: a flood is mostly that, and this takes half as long.
with gate as materialized (
  select millrace.turn_gates(@high::integer, @low::integer, @totalHigh::integer, @totalLow::integer) as shut
),
made as (
  insert into millrace.jobs (
    instance_id, execution, queue_id, status, seq, step_id, retries_left, retry, run_ms, payload,
    created_at, downstream, trace_context
  )
  select x.id, 0, @queueId::integer, 'ready', nextval('millrace.job_seq'), @jobType, @retries::integer, @retry::json,
    @runMs::integer, x.payload, @createdAt::timestamptz, @downstream, @trace
  from rows from (unnest(@ids::text[]), jsonb_array_elements(@payloads::jsonb)) as x (id, payload), gate
  where not (@isGated::boolean and gate.shut && array[@priority::text, 'total'])
  returning 1
),
-- The depth of their queue and priority.
counted as (
  insert into millrace.depth_deltas (queue_id, lane, delta)
  select @queueId::integer, @priority::text, count(*) from made having count(*) > 0
)
select (select count(*) from made) as made, (select shut from gate) as shut
