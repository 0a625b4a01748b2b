-- Instances that begin alike.

-- name: insertAlike
-- They differ in nothing but their input, and each begins with one job: a flood of starts is mostly that.
with fresh as materialized (
  select x.id, x.input from rows from (unnest(@ids::text[]), jsonb_array_elements(@inputs::jsonb)) as x (id, input)
),
live as (
  insert into millrace.instances (
    id, definition_id, definition_version, status, priority, input, state, version, reads_variables, started_at,
    trace_context
  )
  select f.id, @definitionId, @definitionVersion::integer, @status, @priority, f.input, @state::json,
    @version::integer, @readsVariables::boolean, @startedAt::timestamptz, @trace from fresh f
),
trail as (
  insert into millrace.audit (instance_id, seq, at, actor, kind, detail, more)
  select f.id, 1, @startedAt::timestamptz, e.actor, e.kind, e.detail, e.more
  from fresh f, @trail as e (actor text, kind text, detail json, more json)
),
made as (
  insert into millrace.jobs (
    instance_id, execution, queue_id, status, seq, step_id, retries_left, run_ms, created_at, downstream
  )
  select f.id, @execution::integer, @queueId::integer, 'ready', nextval('millrace.job_seq'), @stepId,
    @retries::integer, @runMs::integer, @startedAt::timestamptz, @downstream from fresh f
),
counted as (
  insert into millrace.depth_deltas (queue_id, delta) select @queueId::integer, count(*) from fresh
)
select millrace.expect_latest(@latestIds::text[], @latestVersions::integer[])
