-- The engine: definitions, live work, history. Live tables hold only unfinished work; what is finished is appended once, to
-- tables partitioned by instance id (ids are ULIDs of the database's time, so a range of ids is a range of days).

-- The one clock. Always called as (select millrace.clock()), so that it is read once per statement and indexes serve.
create function millrace.clock() returns timestamptz language sql volatile parallel safe as 'select clock_timestamp()';

create table millrace.definitions (
  id text collate "C" not null,
  version integer not null,
  name text not null,
  description text,
  -- JSON as text: jsonb would lose the order of conditionalNextSteps and transformations.
  document text not null,
  digest bytea not null,
  uploaded_at timestamptz not null,
  uploaded_by text not null,
  primary key (id, version)
);

-- A start that was planned with a version that is no longer the latest must not commit.
create function millrace.expect_latest(ids text[], versions integer[]) returns void language plpgsql stable as $$
begin
  if exists (
    select from unnest(ids, versions) as expected (id, version)
    join millrace.definitions newer on newer.id = expected.id and newer.version > expected.version
  ) then
    raise exception 'a definition has a newer version' using errcode = 'MR001';
  end if;
end $$;

-- What a worker may claim, as one number. Every job carries its queue's id.
create table millrace.queues (
  id integer generated always as identity primary key,
  priority text not null check (priority in ('critical', 'high', 'normal')),
  job_type text not null,
  definition_id text not null,
  downstream text not null,
  polled_at timestamptz,
  unique (job_type, priority, definition_id, downstream)
);

-- Live instances.
create table millrace.instances (
  id text collate "C" primary key,
  definition_id text not null,
  definition_version integer not null,
  status text not null check (status in ('ACTIVE', 'WAITING')),
  priority text not null,
  business_key text,
  linking_id text,
  parent_id text,
  input jsonb not null,
  -- Null while nothing has been merged into the input.
  variables jsonb,
  -- Open steps, forks and counters: what the planner reads and writes.
  state json not null,
  -- The last audit sequence number.
  version integer not null,
  reads_variables boolean not null,
  started_at timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index instances_definition on millrace.instances (definition_id, id);
create index instances_business_key on millrace.instances (business_key, id) where business_key is not null;

create table millrace.finished_instances (
  id text collate "C" not null,
  definition_id text not null,
  definition_version integer not null,
  status text not null check (status in ('COMPLETED', 'FAILED', 'CANCELLED')),
  priority text not null,
  business_key text,
  linking_id text,
  parent_id text,
  input jsonb not null,
  variables jsonb,
  -- Kept for FAILED alone: a manual retry goes on from it.
  state json,
  version integer not null,
  reads_variables boolean not null,
  started_at timestamptz not null,
  completed_at timestamptz not null,
  failure_reason text,
  -- Fingerprint of the reason, so that like failures can be listed together.
  failure text,
  primary key (id),
  check ((status = 'FAILED') <= (failure_reason <> ''))
) partition by range (id);
create table millrace.finished_instances_default partition of millrace.finished_instances default;
create index finished_instances_definition on millrace.finished_instances (definition_id, id);
create index finished_instances_unhappy on millrace.finished_instances (status, id) where status <> 'COMPLETED';
create index finished_instances_business_key on millrace.finished_instances (business_key, id) where business_key is not null;
create index finished_instances_failure on millrace.finished_instances (failure, id) where failure is not null;

-- One live row per job, from dispatch to its end: claim, sweep, retry and cancel all meet on it.
create sequence millrace.job_seq cache 1;
create table millrace.jobs (
  instance_id text collate "C" not null,
  execution integer not null,
  queue_id integer not null,
  status text not null check (status in ('held', 'ready', 'leased')),
  -- Order of becoming ready; a job that becomes ready again gets a new one.
  seq bigint not null,
  step_id text not null,
  retries_left integer not null,
  lost_leases integer not null default 0,
  run_ms integer,
  -- The last lease: epoch and nonce are its token, the worker its holder. A used-up token leaves the nonce null.
  epoch integer not null default 0,
  nonce uuid,
  worker_id text,
  lease_until timestamptz,
  run_until timestamptz,
  visible_at timestamptz,
  -- Version of the instance whose variables the holder was given.
  seen_version integer,
  created_at timestamptz not null,
  primary key (instance_id, execution)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index jobs_ready on millrace.jobs (queue_id, seq) where status = 'ready';
create index jobs_leased on millrace.jobs (lease_until) where status = 'leased';
create index jobs_held on millrace.jobs (visible_at) where status = 'held';

-- Finished step executions, appended once. `delta` is what the step changed; its input is the fold of the deltas up to seen_version.
create table millrace.history (
  instance_id text collate "C" not null,
  execution integer not null,
  step_id text not null,
  step_type text not null,
  attempt integer not null,
  status text not null check (status in ('COMPLETED', 'FAILED', 'SKIPPED')),
  started_at timestamptz not null,
  ended_at timestamptz not null,
  failure_reason text,
  delta json,
  seq integer not null,
  seen_version integer,
  epoch integer,
  nonce uuid,
  worker_id text,
  -- The report that ended it: a completion may fail its step too, by its output schema or by a condition that cannot be judged.
  verb text check (verb in ('complete', 'fail')),
  primary key (instance_id, execution)
) partition by range (instance_id);
create table millrace.history_default partition of millrace.history default;

-- Deliveries that ended without ending their step: failed and retried, timed out, lost with their worker, or never delivered.
create table millrace.attempts (
  instance_id text collate "C" not null,
  execution integer not null,
  epoch integer not null,
  outcome text not null check (outcome in ('failed', 'timed-out', 'lost', 'returned')),
  nonce uuid,
  worker_id text,
  error text not null,
  ended_at timestamptz not null,
  primary key (instance_id, execution, epoch)
) partition by range (instance_id);
create table millrace.attempts_default partition of millrace.attempts default;

-- Append-only, gapless per instance, written in the transaction of the change it tells of.
create table millrace.audit (
  instance_id text collate "C" not null,
  seq integer not null,
  at timestamptz not null,
  actor text not null,
  kind text not null,
  detail json,
  primary key (instance_id, seq)
) partition by range (instance_id);
create table millrace.audit_default partition of millrace.audit default;

-- `timer` is boundary:<index>, queue, total or deadline. A row is deleted when it fires or its step ends.
create table millrace.timers (
  instance_id text collate "C" not null,
  execution integer not null,
  timer text not null,
  due_at timestamptz not null,
  primary key (instance_id, execution, timer)
);
create index timers_due on millrace.timers (due_at);

create table millrace.user_tasks (
  instance_id text collate "C" not null,
  execution integer not null,
  definition_id text not null,
  definition_version integer not null,
  step_id text not null,
  name text not null,
  status text not null check (status in ('OPEN', 'COMPLETED', 'CANCELLED')),
  assignee text,
  assignee_group text,
  due_at timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  completed_by text,
  primary key (instance_id, execution)
);
create index user_tasks_open on millrace.user_tasks (instance_id, execution) where status = 'OPEN';
create index user_tasks_assignee on millrace.user_tasks (assignee, instance_id) where status = 'OPEN';
create index user_tasks_group on millrace.user_tasks (assignee_group, instance_id) where status = 'OPEN';

-- One unfinished instance per definition and business key; the row goes when the instance ends.
create table millrace.business_keys (
  definition_id text collate "C" not null,
  business_key text collate "C" not null,
  instance_id text collate "C" not null,
  primary key (definition_id, business_key)
);

create table millrace.idempotency_keys (
  scope text collate "C" not null,
  key text collate "C" not null,
  digest bytea not null,
  status integer not null,
  answer json,
  created_at timestamptz not null,
  primary key (scope, key)
);
create index idempotency_keys_age on millrace.idempotency_keys (created_at);

-- Workflows that start the next one: written with the parent's completion, consumed with the child's start.
create table millrace.chains (
  parent_id text collate "C" primary key,
  definition_id text not null,
  variables jsonb not null,
  business_key text,
  priority text not null,
  child_id text,
  created_at timestamptz not null,
  next_at timestamptz not null,
  failures integer not null default 0,
  last_error text
);
create index chains_pending on millrace.chains (next_at) where child_id is null;

-- Which process runs each singleton loop. Every write of a leader names its term.
create table millrace.leaders (
  name text primary key,
  holder text not null,
  term bigint not null,
  until timestamptz not null
);

-- Shares the row's lock: a takeover waits until the old leader's transaction is through, and an old leader's next one fails.
create function millrace.expect_term(loop text, expected bigint) returns void language plpgsql as $$
begin
  perform from millrace.leaders where name = loop and term = expected for share;
  if not found then
    raise exception 'another process leads %', loop using errcode = 'MR002';
  end if;
end $$;

create table millrace.processes (
  id text primary key,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

create table millrace.api_keys (
  id text primary key,
  name text not null,
  digest bytea not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

create table millrace.bulk_operations (
  id text primary key,
  action text not null check (action in ('cancel', 'retry')),
  filter json not null,
  reason text,
  actor text not null,
  dry_run boolean not null,
  matched integer not null,
  done integer not null default 0,
  failed integer not null default 0,
  after_id text not null default '',
  until_id text not null,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index bulk_operations_running on millrace.bulk_operations (created_at) where finished_at is null;
