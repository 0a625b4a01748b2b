-- The verbs as functions, for triggers and for other languages: each leaves a request in the caller's own transaction, and the engine
-- plans it within a second after the commit. What is rolled back was never asked for.

create table millrace.requests (
  seq bigint generated always as identity primary key,
  verb text not null check (verb in ('start', 'signal', 'cancel', 'complete_user_task', 'ending')),
  instance_id text collate "C" not null,
  -- By name, as the function takes them.
  arguments jsonb not null,
  actor text not null,
  created_at timestamptz not null,
  next_at timestamptz not null,
  failures integer not null default 0,
  last_error text,
  -- Given up. `update millrace.requests set set_aside_at = null, failures = 0 where …` asks for it again.
  set_aside_at timestamptz
);
create index requests_due on millrace.requests (next_at, seq) where set_aside_at is null;
create index requests_set_aside on millrace.requests (set_aside_at) where set_aside_at is not null;

-- A ULID of the database's time. 80 random bits of a UUID: those that carry its version and variant are left out.
create function millrace.new_id() returns text language sql volatile as $$
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + substring(id.bits from 5 * n + 1 for 5)::bit(5)::integer, 1), '' order by n)
  from (
    select floor(extract(epoch from millrace.clock()) * 1000)::bigint::bit(50) || ('x' || left(hex, 12) || right(hex, 8))::bit(80) as bits
    from (select replace(gen_random_uuid()::text, '-', '') as hex) r
  ) id, generate_series(0, 25) n
$$;

create function millrace.leave_request(verb text, instance_id text, arguments jsonb) returns void language plpgsql as $$
declare
  now timestamptz := millrace.clock();
begin
  if instance_id is null then
    raise exception 'an instance id is needed' using errcode = 'null_value_not_allowed';
  end if;
  insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at)
  values (leave_request.verb, leave_request.instance_id, leave_request.arguments, 'sql:' || session_user, now, now);
end $$;

create function millrace.expect_object(value jsonb, name text) returns void language plpgsql as $$
begin
  if jsonb_typeof(value) is distinct from 'object' then
    raise exception '% must be a JSON object', name using errcode = 'invalid_parameter_value';
  end if;
end $$;

-- Returns the id that the instance will have. A repeated key returns the id of its first start, and asks for nothing.
create function millrace.start(
  definition_id text, variables jsonb default '{}', key text default null, linking_id text default null,
  business_key text default null, priority text default null
) returns text language plpgsql as $$
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
end $$;

create function millrace.signal(instance_id text, name text, payload jsonb default '{}') returns void language plpgsql as $$
begin
  perform millrace.expect_object(payload, 'payload');
  perform millrace.leave_request('signal', instance_id, jsonb_build_object('name', name, 'payload', payload));
end $$;

create function millrace.cancel(instance_id text, reason text default null) returns void language plpgsql as $$
begin
  perform millrace.leave_request('cancel', instance_id, jsonb_build_object('reason', reason));
end $$;

create function millrace.complete_user_task(
  instance_id text, step_id text, variables jsonb default '{}', completed_by text default null
) returns void language plpgsql as $$
begin
  perform millrace.expect_object(variables, 'variables');
  perform millrace.leave_request('complete_user_task', instance_id,
    jsonb_build_object('step_id', step_id, 'variables', variables, 'completed_by', completed_by));
end $$;
