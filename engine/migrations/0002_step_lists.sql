-- Step lists: what the worker of a run records, signals that are kept until they are wanted, intake keys, and the views under the names
-- that people count by.

-- The signals a parked job waits for, a line each; a held job without visible_at waits for nothing else. And why it is held.
alter table millrace.jobs add column waits_for text, add column held_reason text;

-- A delivery that ended because the run came to a wait.
alter table millrace.attempts drop constraint attempts_outcome_check;
alter table millrace.attempts add constraint attempts_outcome_check
  check (outcome in ('failed', 'timed-out', 'lost', 'returned', 'parked'));

-- Which version of which step list a process works on.
alter table millrace.processes add column lists json not null default '{}';

create index instances_linking_id on millrace.instances (linking_id) where linking_id is not null;

-- The steps of a run: what a list or a function has behind it. A best-effort step that failed stays findable by its name.
create table millrace.run_steps (
  instance_id text collate "C" not null,
  name text not null,
  status text not null check (status in ('WAITING', 'COMPLETED', 'FAILED')),
  value json,
  error text,
  -- The version of the list that the worker ran.
  list_version integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  primary key (instance_id, name)
) partition by range (instance_id);
create table millrace.run_steps_default partition of millrace.run_steps default;
create index run_steps_failed on millrace.run_steps (name, instance_id) where status = 'FAILED';

-- Signals for runs, kept from before they are wanted. Taken in order of arrival, each by one step.
create sequence millrace.signal_seq;
create table millrace.signals (
  instance_id text collate "C" not null,
  name text not null,
  seq bigint not null,
  payload json not null,
  received_at timestamptz not null,
  taken_by text,
  primary key (instance_id, name, seq)
) partition by range (instance_id);
create table millrace.signals_default partition of millrace.signals default;

-- The only dedup of intake. A key lives as long as its instance.
create table millrace.intake_keys (
  definition_id text collate "C" not null,
  key text collate "C" not null,
  instance_id text collate "C" not null,
  primary key (definition_id, key)
);
create index intake_keys_instance on millrace.intake_keys (instance_id);

-- `select status, count(*) from millrace_views.workflow group by 1`: exactly three statuses.
create schema if not exists millrace_views;
create view millrace_views.workflow as
select i.id, i.definition_id, k.key as idempotency_key, i.input as payload, 'PENDING' as status,
  -- For ever, where only a signal ends the wait.
  coalesce(j.visible_at, i.started_at) as invisible_until,
  (select count(*) from millrace.attempts a where a.instance_id = i.id and a.outcome = 'failed') as retry_count,
  i.linking_id, i.started_at as created_at, null::timestamptz as completed_at,
  (
    select a.error from millrace.attempts a where a.instance_id = i.id and a.outcome in ('failed', 'timed-out', 'lost')
    order by a.ended_at desc limit 1
  ) as last_error,
  null::text as failed_step, i.variables as context
from millrace.instances i
left join millrace.intake_keys k on k.instance_id = i.id
left join lateral (
  select min(coalesce(visible_at, 'infinity')) as visible_at from millrace.jobs j where j.instance_id = i.id and j.status = 'held'
) j on true
union all
select i.id, i.definition_id, k.key, i.input, case i.status when 'COMPLETED' then 'COMPLETE' else 'FAILED' end,
  i.started_at,
  (select count(*) from millrace.attempts a where a.instance_id = i.id and a.outcome = 'failed'),
  i.linking_id, i.started_at, i.completed_at, i.failure_reason,
  -- A list fails with `step: message`, or because its time is over.
  case when i.status = 'FAILED' then coalesce(substring(i.failure_reason from '^(?!deadline: )(\S+?): '), i.definition_id) end, i.variables
from millrace.finished_instances i
left join millrace.intake_keys k on k.instance_id = i.id;

-- Best-effort steps that failed while their run went on: what a dunning flow looks for.
create view millrace_views.best_effort_failure as
select s.instance_id, s.name as step, s.error, s.ended_at as failed_at
from millrace.run_steps s
where s.status = 'FAILED';
