-- Written from the catalogue by schema.test.ts (UPDATE_SCHEMA=1 rewrites it). What the migrations add up to; never applied.

CREATE OR REPLACE FUNCTION millrace.clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$select clock_timestamp()$function$;

CREATE OR REPLACE FUNCTION millrace.expect_latest(ids text[], versions integer[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if exists (
    select from unnest(ids, versions) as expected (id, version)
    join millrace.definitions newer on newer.id = expected.id and newer.version > expected.version
  ) then
    raise exception 'a definition has a newer version' using errcode = 'MR001';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION millrace.expect_term(loop text, expected bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from millrace.leaders where name = loop and term = expected for share;
  if not found then
    raise exception 'another process leads %', loop using errcode = 'MR002';
  end if;
end $function$;

create sequence millrace.job_seq cache 1;

create table millrace.api_keys (
  id text not null,
  name text not null,
  digest bytea not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (id)
);

create table millrace.attempts (
  instance_id text collate "C" not null,
  execution integer not null,
  epoch integer not null,
  outcome text not null,
  nonce uuid,
  worker_id text,
  error text not null,
  ended_at timestamp with time zone not null,
  constraint attempts_pkey PRIMARY KEY (instance_id, execution, epoch),
  constraint attempts_outcome_check CHECK ((outcome = ANY (ARRAY['failed'::text, 'timed-out'::text, 'lost'::text, 'returned'::text])))
) partition by RANGE (instance_id);

create table millrace.attempts_default partition of attempts DEFAULT;

create table millrace.audit (
  instance_id text collate "C" not null,
  seq integer not null,
  at timestamp with time zone not null,
  actor text not null,
  kind text not null,
  detail json,
  constraint audit_pkey PRIMARY KEY (instance_id, seq)
) partition by RANGE (instance_id);

create table millrace.audit_default partition of audit DEFAULT;

create table millrace.bulk_operations (
  id text not null,
  action text not null,
  filter json not null,
  reason text,
  actor text not null,
  dry_run boolean not null,
  matched integer not null,
  done integer not null default 0,
  failed integer not null default 0,
  after_id text not null default ''::text,
  until_id text not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint bulk_operations_pkey PRIMARY KEY (id),
  constraint bulk_operations_action_check CHECK ((action = ANY (ARRAY['cancel'::text, 'retry'::text])))
);
CREATE INDEX bulk_operations_running ON millrace.bulk_operations USING btree (created_at) WHERE (finished_at IS NULL);

create table millrace.business_keys (
  definition_id text collate "C" not null,
  business_key text collate "C" not null,
  instance_id text collate "C" not null,
  constraint business_keys_pkey PRIMARY KEY (definition_id, business_key)
);

create table millrace.chains (
  parent_id text collate "C" not null,
  definition_id text not null,
  variables jsonb not null,
  business_key text,
  priority text not null,
  child_id text,
  created_at timestamp with time zone not null,
  next_at timestamp with time zone not null,
  failures integer not null default 0,
  last_error text,
  constraint chains_pkey PRIMARY KEY (parent_id)
);
CREATE INDEX chains_pending ON millrace.chains USING btree (next_at) WHERE (child_id IS NULL);

create table millrace.definitions (
  id text collate "C" not null,
  version integer not null,
  name text not null,
  description text,
  document text not null,
  digest bytea not null,
  uploaded_at timestamp with time zone not null,
  uploaded_by text not null,
  constraint definitions_pkey PRIMARY KEY (id, version)
);

create table millrace.finished_instances (
  id text collate "C" not null,
  definition_id text not null,
  definition_version integer not null,
  status text not null,
  priority text not null,
  business_key text,
  linking_id text,
  parent_id text,
  input jsonb not null,
  variables jsonb,
  state json,
  version integer not null,
  reads_variables boolean not null,
  started_at timestamp with time zone not null,
  completed_at timestamp with time zone not null,
  failure_reason text,
  failure text,
  constraint finished_instances_pkey PRIMARY KEY (id),
  constraint finished_instances_check CHECK (((status = 'FAILED'::text) <= (failure_reason <> ''::text))),
  constraint finished_instances_status_check CHECK ((status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])))
) partition by RANGE (id);
CREATE INDEX finished_instances_business_key ON ONLY millrace.finished_instances USING btree (business_key, id) WHERE (business_key IS NOT NULL);
CREATE INDEX finished_instances_definition ON ONLY millrace.finished_instances USING btree (definition_id, id);
CREATE INDEX finished_instances_failure ON ONLY millrace.finished_instances USING btree (failure, id) WHERE (failure IS NOT NULL);
CREATE INDEX finished_instances_unhappy ON ONLY millrace.finished_instances USING btree (status, id) WHERE (status <> 'COMPLETED'::text);

create table millrace.finished_instances_default partition of finished_instances DEFAULT;

create table millrace.history (
  instance_id text collate "C" not null,
  execution integer not null,
  step_id text not null,
  step_type text not null,
  attempt integer not null,
  status text not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  failure_reason text,
  delta json,
  seq integer not null,
  seen_version integer,
  epoch integer,
  nonce uuid,
  worker_id text,
  verb text,
  constraint history_pkey PRIMARY KEY (instance_id, execution),
  constraint history_status_check CHECK ((status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'SKIPPED'::text]))),
  constraint history_verb_check CHECK ((verb = ANY (ARRAY['complete'::text, 'fail'::text])))
) partition by RANGE (instance_id);

create table millrace.history_default partition of history DEFAULT;

create table millrace.idempotency_keys (
  scope text collate "C" not null,
  key text collate "C" not null,
  digest bytea not null,
  status integer not null,
  answer json,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_age ON millrace.idempotency_keys USING btree (created_at);

create table millrace.instances (
  id text collate "C" not null,
  definition_id text not null,
  definition_version integer not null,
  status text not null,
  priority text not null,
  business_key text,
  linking_id text,
  parent_id text,
  input jsonb not null,
  variables jsonb,
  state json not null,
  version integer not null,
  reads_variables boolean not null,
  started_at timestamp with time zone not null,
  constraint instances_pkey PRIMARY KEY (id),
  constraint instances_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'WAITING'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000);
CREATE INDEX instances_business_key ON millrace.instances USING btree (business_key, id) WHERE (business_key IS NOT NULL);
CREATE INDEX instances_definition ON millrace.instances USING btree (definition_id, id);

create table millrace.jobs (
  instance_id text collate "C" not null,
  execution integer not null,
  queue_id integer not null,
  status text not null,
  seq bigint not null,
  step_id text not null,
  retries_left integer not null,
  lost_leases integer not null default 0,
  run_ms integer,
  epoch integer not null default 0,
  nonce uuid,
  worker_id text,
  lease_until timestamp with time zone,
  run_until timestamp with time zone,
  visible_at timestamp with time zone,
  seen_version integer,
  created_at timestamp with time zone not null,
  constraint jobs_pkey PRIMARY KEY (instance_id, execution),
  constraint jobs_status_check CHECK ((status = ANY (ARRAY['held'::text, 'ready'::text, 'leased'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000);
CREATE INDEX jobs_held ON millrace.jobs USING btree (visible_at) WHERE (status = 'held'::text);
CREATE INDEX jobs_leased ON millrace.jobs USING btree (lease_until) WHERE (status = 'leased'::text);
CREATE INDEX jobs_ready ON millrace.jobs USING btree (queue_id, seq) WHERE (status = 'ready'::text);

create table millrace.leaders (
  name text not null,
  holder text not null,
  term bigint not null,
  until timestamp with time zone not null,
  constraint leaders_pkey PRIMARY KEY (name)
);

create table millrace.migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (version)
);

create table millrace.processes (
  id text not null,
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint processes_pkey PRIMARY KEY (id)
);

create table millrace.queues (
  id integer not null generated always as identity,
  priority text not null,
  job_type text not null,
  definition_id text not null,
  downstream text not null,
  polled_at timestamp with time zone,
  constraint queues_job_type_priority_definition_id_downstream_key UNIQUE (job_type, priority, definition_id, downstream),
  constraint queues_pkey PRIMARY KEY (id),
  constraint queues_priority_check CHECK ((priority = ANY (ARRAY['critical'::text, 'high'::text, 'normal'::text])))
);

create table millrace.timers (
  instance_id text collate "C" not null,
  execution integer not null,
  timer text not null,
  due_at timestamp with time zone not null,
  constraint timers_pkey PRIMARY KEY (instance_id, execution, timer)
);
CREATE INDEX timers_due ON millrace.timers USING btree (due_at);

create table millrace.user_tasks (
  instance_id text collate "C" not null,
  execution integer not null,
  definition_id text not null,
  definition_version integer not null,
  step_id text not null,
  name text not null,
  status text not null,
  assignee text,
  assignee_group text,
  due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  completed_by text,
  constraint user_tasks_pkey PRIMARY KEY (instance_id, execution),
  constraint user_tasks_status_check CHECK ((status = ANY (ARRAY['OPEN'::text, 'COMPLETED'::text, 'CANCELLED'::text])))
);
CREATE INDEX user_tasks_assignee ON millrace.user_tasks USING btree (assignee, instance_id) WHERE (status = 'OPEN'::text);
CREATE INDEX user_tasks_group ON millrace.user_tasks USING btree (assignee_group, instance_id) WHERE (status = 'OPEN'::text);
CREATE INDEX user_tasks_open ON millrace.user_tasks USING btree (instance_id, execution) WHERE (status = 'OPEN'::text);
