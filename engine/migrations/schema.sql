-- Written from the catalogue by schema.test.ts (UPDATE_SCHEMA=1 rewrites it). What the migrations add up to; never applied.

CREATE OR REPLACE FUNCTION millrace.cancel(instance_id text, reason text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform millrace.leave_request('cancel', instance_id, jsonb_build_object('reason', reason));
end $function$;

CREATE OR REPLACE FUNCTION millrace.clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$select clock_timestamp()$function$;

CREATE OR REPLACE FUNCTION millrace.complete_user_task(instance_id text, step_id text, variables jsonb DEFAULT '{}'::jsonb, completed_by text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform millrace.expect_object(variables, 'variables');
  perform millrace.leave_request('complete_user_task', instance_id,
    jsonb_build_object('step_id', step_id, 'variables', variables, 'completed_by', completed_by));
end $function$;

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

CREATE OR REPLACE FUNCTION millrace.expect_object(value jsonb, name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if jsonb_typeof(value) is distinct from 'object' then
    raise exception '% must be a JSON object', name using errcode = 'invalid_parameter_value';
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

CREATE OR REPLACE FUNCTION millrace.leave_request(verb text, instance_id text, arguments jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  now timestamptz := millrace.clock();
begin
  if instance_id is null then
    raise exception 'an instance id is needed' using errcode = 'null_value_not_allowed';
  end if;
  insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at)
  values (leave_request.verb, leave_request.instance_id, leave_request.arguments, 'sql:' || session_user, now, now);
end $function$;

CREATE OR REPLACE FUNCTION millrace.new_id()
 RETURNS text
 LANGUAGE sql
AS $function$
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + substring(id.bits from 5 * n + 1 for 5)::bit(5)::integer, 1), '' order by n)
  from (
    select floor(extract(epoch from millrace.clock()) * 1000)::bigint::bit(50) || ('x' || left(hex, 12) || right(hex, 8))::bit(80) as bits
    from (select replace(gen_random_uuid()::text, '-', '') as hex) r
  ) id, generate_series(0, 25) n
$function$;

CREATE OR REPLACE FUNCTION millrace.signal(instance_id text, name text, payload jsonb DEFAULT '{}'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform millrace.expect_object(payload, 'payload');
  perform millrace.leave_request('signal', instance_id, jsonb_build_object('name', name, 'payload', payload));
end $function$;

CREATE OR REPLACE FUNCTION millrace.start(definition_id text, variables jsonb DEFAULT '{}'::jsonb, key text DEFAULT NULL::text, linking_id text DEFAULT NULL::text, business_key text DEFAULT NULL::text, priority text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  id text := millrace.new_id();
begin
  perform millrace.expect_object(variables, 'variables');
  if definition_id is null then
    raise exception 'a definition id is needed' using errcode = 'null_value_not_allowed';
  end if;
  if key is not null then
    insert into millrace.intake_keys (definition_id, key, instance_id) values (start.definition_id, start.key, id) on conflict do nothing;
    if not found then
      select k.instance_id into strict id from millrace.intake_keys k where k.definition_id = start.definition_id and k.key = start.key;
      return id;
    end if;
  end if;
  perform millrace.leave_request('start', id, jsonb_build_object('definition_id', definition_id, 'variables', variables,
    'linking_id', linking_id, 'business_key', business_key, 'priority', priority));
  return id;
end $function$;

create sequence millrace.job_seq cache 1;

create sequence millrace.signal_seq cache 1;

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
  constraint attempts_outcome_check CHECK ((outcome = ANY (ARRAY['failed'::text, 'timed-out'::text, 'lost'::text, 'returned'::text, 'parked'::text])))
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
CREATE INDEX instances_linking_id ON millrace.instances USING btree (linking_id) WHERE (linking_id IS NOT NULL);

create table millrace.intake_keys (
  definition_id text collate "C" not null,
  key text collate "C" not null,
  instance_id text collate "C" not null,
  constraint intake_keys_pkey PRIMARY KEY (definition_id, key)
);
CREATE INDEX intake_keys_instance ON millrace.intake_keys USING btree (instance_id);

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
  waits_for text,
  held_reason text,
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
  lists json not null default '{}'::json,
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

create table millrace.requests (
  seq bigint not null generated always as identity,
  verb text not null,
  instance_id text collate "C" not null,
  arguments jsonb not null,
  actor text not null,
  created_at timestamp with time zone not null,
  next_at timestamp with time zone not null,
  failures integer not null default 0,
  last_error text,
  set_aside_at timestamp with time zone,
  constraint requests_pkey PRIMARY KEY (seq),
  constraint requests_verb_check CHECK ((verb = ANY (ARRAY['start'::text, 'signal'::text, 'cancel'::text, 'complete_user_task'::text, 'ending'::text])))
);
CREATE INDEX requests_due ON millrace.requests USING btree (next_at, seq) WHERE (set_aside_at IS NULL);
CREATE INDEX requests_set_aside ON millrace.requests USING btree (set_aside_at) WHERE (set_aside_at IS NOT NULL);

create table millrace.run_steps (
  instance_id text collate "C" not null,
  name text not null,
  status text not null,
  value json,
  error text,
  list_version integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  constraint run_steps_pkey PRIMARY KEY (instance_id, name),
  constraint run_steps_status_check CHECK ((status = ANY (ARRAY['WAITING'::text, 'COMPLETED'::text, 'FAILED'::text])))
) partition by RANGE (instance_id);
CREATE INDEX run_steps_failed ON ONLY millrace.run_steps USING btree (name, instance_id) WHERE (status = 'FAILED'::text);

create table millrace.run_steps_default partition of run_steps DEFAULT;

create table millrace.signals (
  instance_id text collate "C" not null,
  name text not null,
  seq bigint not null,
  payload json not null,
  received_at timestamp with time zone not null,
  taken_by text,
  constraint signals_pkey PRIMARY KEY (instance_id, name, seq)
) partition by RANGE (instance_id);

create table millrace.signals_default partition of signals DEFAULT;

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
