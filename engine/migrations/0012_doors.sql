-- A secret that all processes share, by which a cookie is known to be one of ours without a look at the sessions.
create table millrace.secrets (
  name text primary key,
  secret bytea not null
);
insert into millrace.secrets (name, secret)
values ('sessions', sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- Keys, ids and names are one line at this door as at the others; a reason may have as many as it likes.
create function millrace.expect_one_line(value text, name text) returns void language plpgsql as $$
begin
  if value ~ '[\x01-\x1f\x7f-\x9f]' then
    raise exception '% must not have control characters', name using errcode = 'invalid_parameter_value';
  end if;
end $$;

create or replace function millrace.leave_request(verb text, instance_id text, arguments jsonb) returns void language plpgsql as $$
declare
  now timestamptz := millrace.clock();
begin
  if instance_id is null then
    raise exception 'an instance id is needed' using errcode = 'null_value_not_allowed';
  end if;
  perform millrace.expect_one_line(given.value #>> '{}', given.key) from jsonb_each(arguments) given
  where jsonb_typeof(given.value) = 'string' and given.key <> 'reason';
  insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at)
  values (leave_request.verb, leave_request.instance_id, leave_request.arguments, 'sql:' || session_user, now, now);
end $$;

create or replace function millrace.start(
  definition_id text, variables jsonb default '{}', key text default null, linking_id text default null,
  business_key text default null, priority text default null
) returns text language plpgsql as $$
declare
  id text := millrace.new_id();
begin
  perform millrace.expect_object(variables, 'variables');
  perform millrace.expect_one_line(key, 'key');
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
