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

CREATE OR REPLACE FUNCTION millrace.due_sinks(names text[], now timestamp with time zone)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  select array(
    select s.name from millrace.sinks s
    where s.name = any(names) and coalesce(s.retry_at <= now, true) and (
      s.after_seq < (select last_value from millrace.event_seq)
      or exists (select from millrace.parked_events p where p.sink = s.name and p.next_at <= now))
  )
$function$;

CREATE OR REPLACE FUNCTION millrace.endless()
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select timestamptz '9999-01-01 00:00:00+00'
$function$;

CREATE OR REPLACE FUNCTION millrace.expect_event(type text, payload jsonb, key text, headers jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform millrace.expect_object(payload, 'payload');
  perform millrace.expect_object(headers, 'headers');
  perform millrace.expect_one_line(key, 'key');
  if type is null or type !~ '^[A-Za-z0-9_:.-]{1,200}$' then
    raise exception 'type must have 1 to 200 letters, digits, _, :, . and -' using errcode = 'invalid_parameter_value';
  elsif starts_with(type, 'workflow.') then
    raise exception 'types that begin with workflow. are the engine''s own' using errcode = 'invalid_parameter_value';
  elsif length(key) not between 1 and 512 then
    raise exception 'key must have 1 to 512 characters' using errcode = 'invalid_parameter_value';
  elsif octet_length(payload::text) > 262144 or octet_length(headers::text) > 8192 then
    raise exception 'the payload may take 262144 bytes, the headers 8192' using errcode = 'program_limit_exceeded';
  elsif exists (
    select from jsonb_each(headers) h
    where jsonb_typeof(h.value) <> 'string' or h.key !~ '^[A-Za-z0-9_-]{1,100}$' or h.value #>> '{}' ~ '[^\x20-\x7e]'
  ) then
    raise exception 'a header is a name of letters, digits, _ and -, and a text of printable ASCII'
      using errcode = 'invalid_parameter_value';
  end if;
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

CREATE OR REPLACE FUNCTION millrace.expect_one_line(value text, name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if value ~ '[\x01-\x1f\x7f-\x9f]' then
    raise exception '% must not have control characters', name using errcode = 'invalid_parameter_value';
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

CREATE OR REPLACE FUNCTION millrace.fill_limits(keys text[], weights double precision[] DEFAULT '{60,30,10}'::double precision[], draws double precision[] DEFAULT ARRAY[((1)::double precision - random()), ((1)::double precision - random()), ((1)::double precision - random())])
 RETURNS TABLE(queue_id integer)
 LANGUAGE plpgsql
AS $function$
begin
  -- Two fills of one key follow each other, in an order that is the same for all. The rows of the limits are not locked: an open transaction
  -- of a caller that has set a limit would hold up the fills, and with them the leader that makes them.
  perform pg_advisory_xact_lock(x.lock) from (
    select distinct hashtextextended('millrace.limits ' || k, 0) as lock from unnest(keys) k order by 1
  ) x;
  return query
  update millrace.jobs j
  set status = 'ready', seq = nextval('millrace.job_seq'), held_reason = null
  from (
    select f.instance_id, f.execution
    from (select key collate "default" as key, max from millrace.limits where key = any(keys)) l
    cross join lateral (
      select l.max - count(*) as places from millrace.jobs a where a.limit_key = l.key and a.status in ('ready', 'leased')
    ) room
    cross join lateral (
      select h.instance_id, h.execution
      from (
        select o.*, row_number() over (partition by o.rank order by o.seq) - 1 as before
        from (
          -- From queue to queue of the key: a million held jobs of one queue are one step.
          with recursive waiting (id) as (
            (
              select w.queue_id from millrace.jobs w
              where w.limit_key = l.key and w.status = 'held' and w.visible_at is null order by w.queue_id limit 1
            )
            union all
            select (
              select w.queue_id from millrace.jobs w
              where w.limit_key = l.key and w.status = 'held' and w.visible_at is null and w.queue_id > v.id
              order by w.queue_id limit 1
            )
            from waiting v where v.id is not null
          )
          select first.*, array_position('{critical,high,normal}', q.priority) as rank
          from waiting
          join millrace.queues q on q.id = waiting.id
          cross join lateral (
            select c.instance_id, c.execution, c.seq from millrace.jobs c
            where c.limit_key = l.key and c.status = 'held' and c.queue_id = waiting.id and c.visible_at is null
            order by c.seq
            limit room.places
            for update skip locked
          ) first
        ) o
      ) h
      order by weights[h.rank] = 0, (h.before - ln(draws[h.rank])) / coalesce(nullif(weights[h.rank], 0), 1), h.seq
      limit room.places
    ) f
    where room.places > 0
  ) freed
  where j.instance_id = freed.instance_id and j.execution = freed.execution
  returning j.queue_id;
end $function$;

CREATE OR REPLACE FUNCTION millrace.has_room_for_events()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  last_seq bigint;
  most bigint;
  waiting_after bigint;
  kept_after bigint;
begin
  select s.last_value, o.high_watermark into last_seq, most from millrace.event_seq s, millrace.outbox o;
  select min(s.after_seq) into waiting_after from millrace.sinks s;
  if last_seq - waiting_after < most then return true; end if;
  select e.seq - 1 into kept_after from millrace.events e order by e.seq limit 1;
  return last_seq - greatest(waiting_after, coalesce(kept_after, last_seq)) < most;
end $function$;

CREATE OR REPLACE FUNCTION millrace.is_plain(job jobs)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select job.epoch = 0 and job.execution = 0 and job.run_ms is null and job.retry is null and job.fair_key is null
    and job.limit_key is null and job.downstream is null and job.replay_of is null and job.effect_key is null
    and pg_column_size(job.payload) <= 1000
$function$;

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
  perform millrace.expect_one_line(given.value #>> '{}', given.key) from jsonb_each(arguments) given
  where jsonb_typeof(given.value) = 'string' and given.key <> 'reason';
  insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at)
  values (leave_request.verb, leave_request.instance_id, leave_request.arguments, 'sql:' || session_user, now, now);
end $function$;

CREATE OR REPLACE FUNCTION millrace.lineage()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  return (select s.system_identifier from pg_control_system() s) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when insufficient_privilege or object_not_in_prerequisite_state then
  return null;
end $function$;

CREATE OR REPLACE FUNCTION millrace.live_jobs_of(id text)
 RETURNS SETOF live_jobs
 LANGUAGE sql
 STABLE
AS $function$
  select instance_id, execution, queue_id, status, seq, step_id, retries_left, lost_leases, run_ms, epoch, nonce, worker_id,
    lease_until, run_until, visible_at, seen_version, created_at, waits_for, held_reason, payload, retry, fair_key, limit_key,
    downstream, replay_of, lease_ms, claimed_at, trace_context, effect_key
  from millrace.jobs where instance_id = id collate "C"
  union all
  select instance_id, execution, queue_id, status, seq, step_id, retries_left, lost_leases, run_ms, epoch, nonce, worker_id,
    lease_until, run_until, visible_at, seen_version, created_at, waits_for, held_reason, payload, retry, fair_key, limit_key,
    downstream, replay_of, lease_ms, claimed_at, trace_context, effect_key
  from millrace.packed_jobs where last_id >= id collate "C" and first_id <= id collate "C" and instance_id = id collate "C"
$function$;

CREATE OR REPLACE FUNCTION millrace.new_id()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  digits constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  ms bigint := floor(extract(epoch from millrace.clock()) * 1000);
  uuid text := upper(gen_random_uuid()::text);
  id text := '';
begin
  for n in reverse 9..0 loop
    id := id || substr(digits, ((ms >> 5 * n) & 31)::integer + 1, 1);
  end loop;
  return id || left(uuid, 8) || substr(uuid, 10, 4) || right(uuid, 4);
end $function$;

CREATE OR REPLACE FUNCTION millrace.next_event_seq()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_current_xact_id();
  return nextval('millrace.event_seq');
end $function$;

CREATE OR REPLACE FUNCTION millrace.next_fair(queue integer, after_key text, quota integer, aged integer)
 RETURNS TABLE(place tid, slot bigint)
 LANGUAGE plpgsql
AS $function$
begin
  return query
  with recursive keys (key, turn) as (
    select (
      select j.fair_key from millrace.jobs j where j.queue_id = queue and j.status = 'ready' and j.fair_key is not null and j.fair_key > after_key
      order by j.fair_key limit 1
    ), 1
    union all
    -- Past the last key it begins again, with one empty turn between.
    select coalesce((
      select j.fair_key from millrace.jobs j
      where j.queue_id = queue and j.status = 'ready' and j.fair_key is not null and j.fair_key > coalesce(k.key, '')
      order by j.fair_key limit 1
    ), case when k.key is not null then '' end), k.turn + 1
    from keys k
    where k.turn <= quota + 1 and (k.key is not null or k.turn = 1)
  ),
  served as materialized (select k.key, min(k.turn) as turn from keys k where k.key <> '' group by k.key order by 2 limit quota),
  oldest as materialized (
    select j.ctid as at, 0::bigint as round, j.seq as turn from millrace.jobs j
    where j.queue_id = queue and j.status = 'ready' order by j.seq limit aged for update skip locked
  ),
  others as materialized (
    select c.at, row_number() over (partition by s.key order by c.seq) as round, s.turn::bigint as turn
    from served s
    cross join lateral (
      select j.ctid as at, j.seq from millrace.jobs j
      where j.queue_id = queue and j.status = 'ready' and j.fair_key = s.key
      order by j.seq limit quota / greatest(1, (select count(*) from served)) + 1 for update skip locked
    ) c
  ),
  picked as (select distinct on (c.at) c.* from (select * from oldest union all select * from others) c order by c.at, c.round)
  select p.at, row_number() over (order by p.round, p.turn) from picked p order by p.round, p.turn limit quota;
end $function$;

CREATE OR REPLACE FUNCTION millrace.next_try(failures integer)
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$select millrace.clock() + least(60000, 1000 * 2 ^ least(failures, 6)) * interval '1 ms'$function$;

CREATE OR REPLACE FUNCTION millrace.publish(type text, payload jsonb, key text DEFAULT NULL::text, headers jsonb DEFAULT '{}'::jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  id text;
begin
  perform millrace.expect_event(type, payload, key, headers);
  insert into millrace.events (id, incarnation, type, key, payload, headers, created_at)
  select millrace.new_id(), o.incarnation, publish.type, publish.key, publish.payload, publish.headers, millrace.clock()
  from millrace.outbox o where millrace.has_room_for_events()
  returning events.id || '-' || events.incarnation into id;
  if id is null then
    raise exception 'too many events wait for their sinks; publish again later' using errcode = 'MR003';
  end if;
  return id;
end $function$;

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
end $function$;

CREATE OR REPLACE FUNCTION millrace.trail_entries(seq integer, actor text, kind text, detail json, more json)
 RETURNS TABLE(seq integer, actor text, kind text, detail json)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select $1, $2, $3, $4
  union all
  select $1 + m.place::integer, m.entry ->> 'actor', m.entry ->> 'kind', m.entry -> 'detail'
  from json_array_elements($5) with ordinality as m (entry, place)
$function$;

CREATE OR REPLACE FUNCTION millrace.turn_gates(lane_high integer, lane_low integer, total_high integer, total_low integer)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
declare
  gate record;
  names text[] := '{}';
  turned text[] := '{}';
begin
  for gate in
    select g.name, g.shut, g.live + coalesce(a.delta, 0) >= case
      when g.shut then coalesce(g.low, case g.name when 'total' then total_low else lane_low end)
      else coalesce(g.high, case g.name when 'total' then total_high else lane_high end) end as is_full
    from millrace.gates g
    left join (
      select coalesce(d.lane, 'total') as name, sum(d.delta) as delta from millrace.depth_deltas d
      where d.id > (select after from millrace.depth_fold) and d.lane is not null
      group by rollup (d.lane)
    ) a on a.name = g.name
  loop
    if gate.is_full then names := names || gate.name; end if;
    if gate.is_full <> gate.shut then turned := turned || gate.name; end if;
  end loop;
  -- One that somebody else is turning is left to him: an enqueue must not wait for a stranger's transaction.
  if turned <> '{}' then
    update millrace.gates g set shut = not g.shut, changed_at = millrace.clock()
    from (select w.name from millrace.gates w where w.name = any(turned) and (w.name = any(names)) <> w.shut for update skip locked) free
    where g.name = free.name;
  end if;
  return names;
end $function$;

CREATE OR REPLACE FUNCTION millrace.unpack(packs uuid[], wanted text[])
 RETURNS bigint
 LANGUAGE sql
AS $function$
  with held as materialized (
    select p.* from millrace.packs p where p.nonce = any(packs) order by p.nonce for update
  ),
  places as materialized (
    select h.nonce, u.*, get_bit(h.ended, u.place::integer - 1) = 0 and (wanted is null or u.id = any(wanted)) as is_taken
    from held h cross join lateral unnest(h.ids, h.payloads, h.created_at, h.retries_left, h.trace_contexts)
      with ordinality as u (id, payload, created_at, retries_left, trace_context, place)
  ),
  made as (
    insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, epoch, nonce, worker_id,
      lease_until, run_until, created_at, payload, lease_ms, claimed_at, trace_context)
    select p.id, 0, h.queue_id, 'leased', nextval('millrace.job_seq'), h.step_id, p.retries_left, 1, h.nonce, h.worker_id,
      h.lease_until, h.run_until, p.created_at, p.payload, h.lease_ms, h.claimed_at, p.trace_context
    from places p join held h on h.nonce = p.nonce where p.is_taken
    returning 1
  ),
  summed as materialized (
    select h.nonce, h.ended | s.taken as ended from held h join (
      select p.nonce, string_agg(p.is_taken::integer::text, '' order by p.place)::varbit as taken from places p group by p.nonce
    ) s on s.nonce = h.nonce
  ),
  gone as (
    delete from millrace.packs p using summed s where p.nonce = s.nonce and position('0'::varbit in s.ended) = 0
  ),
  changed as (
    update millrace.packs p set ended = s.ended from summed s
    where p.nonce = s.nonce and s.ended <> p.ended and position('0'::varbit in s.ended) > 0
  )
  select count(*) from made
$function$;

CREATE OR REPLACE FUNCTION millrace.waiting_events()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select last.seq - greatest(waiting.after_seq,
    coalesce((select e.seq - 1 from millrace.events e order by e.seq limit 1), last.seq))
  from (select s.last_value as seq from millrace.event_seq s) last,
    (select min(s.after_seq) as after_seq from millrace.sinks s) waiting
$function$;

create sequence millrace.event_seq cache 1;

create sequence millrace.job_seq cache 1;

create sequence millrace.run_step_seq cache 1;

create sequence millrace.signal_seq cache 1;

create table millrace.alerts (
  name text not null,
  raised_at timestamp with time zone not null,
  detail json not null,
  told_at timestamp with time zone,
  constraint alerts_pkey PRIMARY KEY (name)
);

create table millrace.api_keys (
  id text not null,
  name text not null,
  digest bytea not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  limit_requests integer,
  limit_window_ms integer,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_limit CHECK (((limit_requests IS NULL) = (limit_window_ms IS NULL))),
  constraint api_keys_limit_requests_check CHECK ((limit_requests > 0)),
  constraint api_keys_limit_window_ms_check CHECK ((limit_window_ms > 0))
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
  step text,
  detail json,
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
  more json,
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
  constraint bulk_operations_action_check CHECK ((action = ANY (ARRAY['cancel'::text, 'retry'::text, 'replay'::text, 'discard'::text])))
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
CREATE INDEX chains_failing ON millrace.chains USING btree (failures) WHERE ((child_id IS NULL) AND (failures > 0));
CREATE INDEX chains_pending ON millrace.chains USING btree (next_at) WHERE (child_id IS NULL);

create table millrace.changes (
  id bigint not null generated always as identity,
  at timestamp with time zone not null,
  actor text not null,
  kind text not null,
  name text not null,
  detail json,
  constraint changes_pkey PRIMARY KEY (id)
);
CREATE INDEX changes_at ON millrace.changes USING btree (at);
CREATE INDEX changes_dead_job ON millrace.changes USING btree (((detail ->> 'of'::text))) WHERE ((kind = ANY (ARRAY['dead-letter-replayed'::text, 'dead-letter-discarded'::text])) AND ((detail ->> 'of'::text) IS NOT NULL));
CREATE INDEX changes_dead_letter ON millrace.changes USING btree (name) WHERE (kind = ANY (ARRAY['dead-letter-replayed'::text, 'dead-letter-discarded'::text]));

create table millrace.consumer_lanes (
  consumer text collate "C" not null,
  lane text collate "C" not null,
  job_id text collate "C" not null,
  constraint consumer_lanes_pkey PRIMARY KEY (consumer, lane)
);

create table millrace.counter_series (
  span integer not null,
  at timestamp with time zone not null,
  started bigint not null default 0,
  completed bigint not null default 0,
  failed bigint not null default 0,
  cancelled bigint not null default 0,
  steps bigint not null default 0,
  jobs_enqueued bigint not null default 0,
  jobs_completed bigint not null default 0,
  jobs_failed bigint not null default 0,
  jobs_dead bigint not null default 0,
  rejected bigint not null default 0,
  depth_critical bigint,
  depth_high bigint,
  depth_normal bigint,
  leased bigint,
  dead_letters bigint,
  constraint counter_series_pkey PRIMARY KEY (span, at),
  constraint counter_series_span_check CHECK ((span = ANY (ARRAY[2, 10, 300])))
) with (fillfactor=50);

create table millrace.dead_letters (
  id text collate "C" not null,
  source text not null,
  instance_id text collate "C" not null,
  execution integer not null,
  step_id text not null,
  queue_id integer not null,
  reason text not null,
  error text not null,
  failure text not null,
  attempts integer not null,
  retry_count integer not null,
  payload jsonb,
  options json,
  dead_at timestamp with time zone not null,
  constraint dead_letters_instance_id_execution_key UNIQUE (instance_id, execution),
  constraint dead_letters_pkey PRIMARY KEY (id),
  constraint dead_letters_reason_check CHECK ((reason = ANY (ARRAY['exhausted'::text, 'not-retryable'::text, 'worker-lost'::text]))),
  constraint dead_letters_source_check CHECK ((source = ANY (ARRAY['job'::text, 'step'::text])))
);
CREATE INDEX dead_letters_failure ON millrace.dead_letters USING btree (failure, id);
CREATE INDEX dead_letters_queue ON millrace.dead_letters USING btree (queue_id, id);
CREATE INDEX dead_letters_queue_failure ON millrace.dead_letters USING btree (queue_id, failure, id);

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

create table millrace.depth_deltas (
  id bigint not null generated always as identity,
  queue_id integer not null,
  lane text,
  delta integer not null,
  constraint depth_deltas_pkey PRIMARY KEY (id)
);

create table millrace.depth_fold (
  only_one boolean not null default true,
  after bigint not null,
  constraint depth_fold_pkey PRIMARY KEY (only_one),
  constraint depth_fold_only_one_check CHECK (only_one)
);

create table millrace.depths (
  queue_id integer not null,
  live bigint not null,
  constraint depths_pkey PRIMARY KEY (queue_id)
) with (fillfactor=50);

create table millrace.dispatches (
  instance_id text collate "C" not null,
  execution integer not null,
  epoch integer not null,
  dedup_id text collate "C" not null,
  job_type text collate "C" not null,
  created_at timestamp with time zone not null,
  by_reference boolean not null default false,
  partition integer,
  log_offset bigint,
  published_at timestamp with time zone,
  constraint dispatches_pkey PRIMARY KEY (instance_id, execution, epoch)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000);
CREATE INDEX dispatches_published ON millrace.dispatches USING btree (job_type, partition, log_offset) WHERE (published_at IS NOT NULL);
CREATE INDEX dispatches_unpublished ON millrace.dispatches USING btree (dedup_id) WHERE (published_at IS NULL);

create table millrace.downstreams (
  name text not null,
  per_second double precision,
  concurrency integer,
  adaptive boolean not null default false,
  spent_until timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  share double precision not null default 1,
  slowed_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  closed_until timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint downstreams_pkey PRIMARY KEY (name),
  constraint downstreams_concurrency_check CHECK ((concurrency > 0)),
  constraint downstreams_per_second_check CHECK ((per_second > (0)::double precision)),
  constraint downstreams_share_check CHECK (((share > (0)::double precision) AND (share <= (1)::double precision)))
) with (fillfactor=50);

create table millrace.events (
  id text collate "C" not null,
  seq bigint not null default next_event_seq(),
  incarnation text not null,
  type text not null,
  key text,
  payload jsonb not null,
  headers jsonb not null,
  created_at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (id)
) partition by RANGE (id);
CREATE INDEX events_seq ON ONLY millrace.events USING btree (seq);

create table millrace.events_default partition of events DEFAULT;

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
  trace_context text,
  undone_by text,
  constraint finished_instances_pkey PRIMARY KEY (id),
  constraint finished_instances_check CHECK (((status = 'FAILED'::text) <= (failure_reason <> ''::text))),
  constraint finished_instances_status_check CHECK ((status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text])))
) partition by RANGE (id);
CREATE INDEX finished_instances_business_key ON ONLY millrace.finished_instances USING btree (business_key text_pattern_ops, id) WHERE (business_key IS NOT NULL);
CREATE INDEX finished_instances_definition ON ONLY millrace.finished_instances USING btree (definition_id, id);
CREATE INDEX finished_instances_failure ON ONLY millrace.finished_instances USING btree (failure, id) WHERE (failure IS NOT NULL);
CREATE INDEX finished_instances_unhappy ON ONLY millrace.finished_instances USING btree (status, id) WHERE (status <> 'COMPLETED'::text);
CREATE INDEX finished_instances_unhappy_definition ON ONLY millrace.finished_instances USING btree (definition_id, status, id) WHERE (status <> 'COMPLETED'::text);

create table millrace.finished_instances_default partition of finished_instances DEFAULT;

create table millrace.flow_series (
  at timestamp with time zone not null,
  part text not null,
  name text not null,
  jobs bigint not null,
  constraint flow_series_pkey PRIMARY KEY (at, part, name),
  constraint flow_series_part_check CHECK ((part = ANY (ARRAY['accepted'::text, 'refused'::text, 'claimed'::text, 'started'::text])))
) with (fillfactor=50);

create table millrace.gates (
  name text not null,
  live bigint not null default 0,
  high integer,
  low integer,
  shut boolean not null default false,
  changed_at timestamp with time zone not null default clock(),
  constraint gates_pkey PRIMARY KEY (name),
  constraint gates_check CHECK ((low < high)),
  constraint gates_name_check CHECK ((name = ANY (ARRAY['critical'::text, 'high'::text, 'normal'::text, 'total'::text])))
) with (fillfactor=50);

create table millrace.guard_blocks (
  kind text not null,
  value text not null,
  id text not null,
  reason text not null,
  blocked_by text not null,
  blocked_at timestamp with time zone not null,
  blocked_until timestamp with time zone,
  constraint guard_blocks_id_key UNIQUE (id),
  constraint guard_blocks_pkey PRIMARY KEY (kind, value),
  constraint guard_blocks_kind_check CHECK ((kind = ANY (ARRAY['address'::text, 'agent'::text])))
);

create table millrace.guard_changes (
  version bigint not null,
  act text not null,
  kind text,
  value text not null,
  changed_at timestamp with time zone not null,
  constraint guard_changes_pkey PRIMARY KEY (version),
  constraint guard_changes_act_check CHECK ((act = ANY (ARRAY['block'::text, 'unblock'::text, 'soft-block'::text, 'pardon'::text, 'shadow'::text])))
);

create table millrace.guard_shadow_events (
  id text not null,
  hour timestamp with time zone not null,
  rule text not null,
  client text not null,
  path text not null,
  times bigint not null,
  last_at timestamp with time zone not null,
  last_request_id text not null,
  last_reason text not null,
  constraint guard_shadow_events_id_key UNIQUE (id),
  constraint guard_shadow_events_pkey PRIMARY KEY (hour, rule, client, path)
);

create table millrace.guard_soft_blocks (
  subject text not null,
  rule text not null,
  id text not null,
  reason text not null,
  blocked_by text,
  blocked_at timestamp with time zone not null,
  blocked_until timestamp with time zone not null,
  constraint guard_soft_blocks_id_key UNIQUE (id),
  constraint guard_soft_blocks_pkey PRIMARY KEY (subject, rule)
);

create table millrace.guard_state (
  only_row boolean not null default true,
  version bigint not null default 0,
  shadow json,
  shadow_by text,
  shadow_at timestamp with time zone,
  constraint guard_state_pkey PRIMARY KEY (only_row),
  constraint guard_state_only_row_check CHECK (only_row)
);

create table millrace.guard_traffic (
  at timestamp with time zone not null,
  allowed bigint not null,
  throttled bigint not null,
  soft_blocked bigint not null,
  hard_blocked bigint not null,
  shadowed bigint not null,
  constraint guard_traffic_pkey PRIMARY KEY (at)
);

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
  queue_id integer,
  payload jsonb,
  created_at timestamp with time zone,
  retry_count integer,
  replay_of text,
  detail json,
  constraint history_pkey PRIMARY KEY (instance_id, execution),
  constraint history_status_check CHECK ((status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'SKIPPED'::text, 'CANCELLED'::text]))),
  constraint history_verb_check CHECK ((verb = ANY (ARRAY['complete'::text, 'fail'::text])))
) partition by RANGE (instance_id);

create table millrace.history_default partition of history DEFAULT;

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
  trace_context text,
  constraint instances_pkey PRIMARY KEY (id),
  constraint instances_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'WAITING'::text])))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000, fillfactor=50);
CREATE INDEX instances_business_key ON millrace.instances USING btree (business_key text_pattern_ops, id) WHERE (business_key IS NOT NULL);
CREATE INDEX instances_by_parent ON millrace.instances USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX instances_definition ON millrace.instances USING btree (definition_id, id);
CREATE INDEX instances_linking_id ON millrace.instances USING btree (linking_id) WHERE (linking_id IS NOT NULL);

create table millrace.intake_keys (
  definition_id text collate "C" not null,
  key text collate "C" not null,
  instance_id text collate "C" not null,
  constraint intake_keys_pkey PRIMARY KEY (definition_id, key)
);
CREATE INDEX intake_keys_instance ON millrace.intake_keys USING btree (instance_id);

create table millrace.job_keys (
  job_type text collate "C" not null,
  key text collate "C" not null,
  job_id text collate "C" not null,
  digest bytea not null,
  constraint job_keys_pkey PRIMARY KEY (job_type, key)
);
CREATE INDEX job_keys_job ON millrace.job_keys USING btree (job_id);

create table millrace.job_types (
  name text not null,
  timeout_ms integer,
  defaults json,
  large_payload text,
  constraint job_types_pkey PRIMARY KEY (name),
  constraint job_types_large_payload_check CHECK ((large_payload = ANY (ARRAY['fail'::text, 'reference'::text]))),
  constraint job_types_timeout_ms_check CHECK ((timeout_ms > 0))
);

create table millrace.job_uniques (
  job_type text collate "C" not null,
  key text collate "C" not null,
  job_id text collate "C" not null,
  until timestamp with time zone not null,
  constraint job_uniques_pkey PRIMARY KEY (job_type, key)
);
CREATE INDEX job_uniques_until ON millrace.job_uniques USING btree (until);

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
  payload jsonb,
  retry json,
  fair_key text,
  limit_key text,
  downstream text,
  replay_of text,
  lease_ms integer,
  claimed_at timestamp with time zone,
  trace_context text,
  effect_key text,
  constraint jobs_pkey PRIMARY KEY (instance_id, execution),
  constraint jobs_status_check CHECK ((status = ANY (ARRAY['held'::text, 'ready'::text, 'leased'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000);
CREATE INDEX jobs_at_downstream ON millrace.jobs USING btree (downstream) WHERE ((status = 'leased'::text) AND (downstream IS NOT NULL));
CREATE INDEX jobs_awaiting_room ON millrace.jobs USING btree (limit_key, queue_id, seq) WHERE ((status = 'held'::text) AND (visible_at IS NULL) AND (limit_key IS NOT NULL));
CREATE INDEX jobs_fair ON millrace.jobs USING btree (queue_id, fair_key, seq) WHERE ((status = 'ready'::text) AND (fair_key IS NOT NULL));
CREATE INDEX jobs_held ON millrace.jobs USING btree (visible_at) WHERE (status = 'held'::text);
CREATE INDEX jobs_leased ON millrace.jobs USING btree (lease_until) WHERE (status = 'leased'::text);
CREATE INDEX jobs_limited ON millrace.jobs USING btree (limit_key, status, seq) WHERE (limit_key IS NOT NULL);
CREATE INDEX jobs_ready ON millrace.jobs USING btree (queue_id, seq) WHERE (status = 'ready'::text);

create table millrace.leaders (
  name text not null,
  holder text not null,
  term bigint not null,
  until timestamp with time zone not null,
  constraint leaders_pkey PRIMARY KEY (name)
);

create table millrace.limits (
  key text collate "C" not null,
  max integer not null,
  set_at timestamp with time zone not null default clock(),
  constraint limits_pkey PRIMARY KEY (key),
  constraint limits_max_check CHECK ((max > 0))
);

create table millrace.live_settings (
  name text not null,
  value json not null,
  changed_at timestamp with time zone not null,
  changed_by text not null,
  constraint live_settings_pkey PRIMARY KEY (name)
);

create table millrace.live_version (
  only_one boolean not null default true,
  version bigint not null,
  constraint live_version_pkey PRIMARY KEY (only_one),
  constraint live_version_only_one_check CHECK (only_one)
);

create table millrace.migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (version)
);

create table millrace.outbox (
  singleton boolean not null default true,
  incarnation text not null,
  high_watermark bigint not null default 10000000,
  lineage text,
  constraint outbox_pkey PRIMARY KEY (singleton),
  constraint outbox_high_watermark_check CHECK ((high_watermark > 0)),
  constraint outbox_singleton_check CHECK (singleton)
);

create table millrace.packs (
  nonce uuid not null,
  first_id text collate "C" not null,
  last_id text collate "C" not null,
  queue_id integer not null,
  step_id text not null,
  worker_id text not null,
  claimed_at timestamp with time zone not null,
  lease_ms integer not null,
  lease_until timestamp with time zone not null,
  run_until timestamp with time zone not null,
  ended bit varying not null,
  ids text[] collate "C" not null,
  payloads jsonb[] not null,
  created_at timestamp with time zone[] not null,
  retries_left integer[] not null,
  trace_contexts text[],
  constraint packs_pkey PRIMARY KEY (nonce)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=200);
CREATE INDEX packs_ids ON millrace.packs USING btree (last_id, first_id);
CREATE INDEX packs_leased ON millrace.packs USING btree (lease_until);

create table millrace.parked_events (
  sink text collate "C" not null,
  seq bigint not null,
  event_id text collate "C" not null,
  key text,
  reason text not null,
  attempts integer not null,
  parked_at timestamp with time zone not null,
  next_at timestamp with time zone,
  constraint parked_events_pkey PRIMARY KEY (sink, seq)
);
CREATE INDEX parked_events_due ON millrace.parked_events USING btree (sink, next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX parked_events_event ON millrace.parked_events USING btree (event_id);
CREATE INDEX parked_events_key ON millrace.parked_events USING btree (sink, key, seq) WHERE (key IS NOT NULL);

create table millrace.pauses (
  kind text not null,
  name text not null,
  reason text,
  paused_by text not null,
  paused_at timestamp with time zone not null,
  constraint pauses_pkey PRIMARY KEY (kind, name),
  constraint pauses_kind_check CHECK ((kind = ANY (ARRAY['queue'::text, 'jobType'::text, 'definition'::text, 'downstream'::text])))
);

create table millrace.processed_events (
  event_id text collate "C" not null,
  consumer_group text collate "C" not null,
  processed_at timestamp with time zone not null,
  constraint processed_events_pkey PRIMARY KEY (event_id, consumer_group)
);
CREATE INDEX processed_events_age ON millrace.processed_events USING btree (processed_at);

create table millrace.processes (
  id text not null,
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  lists json not null default '{}'::json,
  live_version bigint not null default 0,
  knows_packs boolean not null default false,
  constraint processes_pkey PRIMARY KEY (id)
);

create table millrace.queued_messages (
  consumer text collate "C" not null,
  lane text collate "C" not null,
  place bigint not null generated always as identity,
  message json not null,
  constraint queued_messages_pkey PRIMARY KEY (consumer, lane, place)
);

create table millrace.queues (
  id integer not null generated always as identity,
  priority text not null,
  job_type text not null,
  definition_id text not null,
  downstream text not null,
  polled_at timestamp with time zone,
  is_fair boolean not null default false,
  retired_at timestamp with time zone,
  retired_in xid8,
  constraint queues_job_type_priority_definition_id_downstream_is_fair_key UNIQUE (job_type, priority, definition_id, downstream, is_fair),
  constraint queues_pkey PRIMARY KEY (id),
  constraint queues_priority_check CHECK ((priority = ANY (ARRAY['critical'::text, 'high'::text, 'normal'::text])))
);

create table millrace.request_keys (
  scope text collate "C" not null,
  key text collate "C" not null,
  digest bytea not null,
  status integer,
  outcome json,
  created_at timestamp with time zone not null,
  constraint request_keys_pkey PRIMARY KEY (scope, key)
);
CREATE INDEX request_keys_age ON millrace.request_keys USING btree (created_at);

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
  constraint requests_verb_check CHECK ((verb = ANY (ARRAY['start'::text, 'signal'::text, 'cancel'::text, 'complete_user_task'::text, 'ending'::text, 'cancel_child'::text])))
);
CREATE INDEX requests_due ON millrace.requests USING btree (next_at, seq) WHERE (set_aside_at IS NULL);
CREATE INDEX requests_failing ON millrace.requests USING btree (failures) WHERE (failures > 0);
CREATE INDEX requests_set_aside ON millrace.requests USING btree (set_aside_at) WHERE (set_aside_at IS NOT NULL);

create table millrace.restarts (
  instance_id text collate "C" not null,
  restart_of text collate "C" not null,
  constraint restarts_pkey PRIMARY KEY (instance_id)
);
CREATE INDEX restarts_of ON millrace.restarts USING btree (restart_of, instance_id);

create table millrace.run_steps (
  instance_id text collate "C" not null,
  name text not null,
  status text not null,
  value json,
  error text,
  list_version integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  undo boolean not null default false,
  seq bigint default nextval('run_step_seq'::regclass),
  detail json,
  constraint run_steps_pkey PRIMARY KEY (instance_id, name),
  constraint run_steps_status_check CHECK ((status = ANY (ARRAY['WAITING'::text, 'COMPLETED'::text, 'FAILED'::text])))
) partition by RANGE (instance_id);
CREATE INDEX run_steps_failed ON ONLY millrace.run_steps USING btree (name, instance_id) WHERE (status = 'FAILED'::text);

create table millrace.run_steps_default partition of run_steps DEFAULT;

create table millrace.schedule_runs (
  schedule_id text not null,
  due_at timestamp with time zone not null,
  fired_at timestamp with time zone not null,
  cause text not null,
  outcome text not null,
  work_id text,
  detail text,
  constraint schedule_runs_pkey PRIMARY KEY (schedule_id, due_at, cause),
  constraint schedule_runs_cause_check CHECK ((cause = ANY (ARRAY['cron'::text, 'manual'::text]))),
  constraint schedule_runs_outcome_check CHECK ((outcome = ANY (ARRAY['started'::text, 'skipped'::text, 'queued'::text, 'failed'::text])))
);
CREATE INDEX schedule_runs_fired ON millrace.schedule_runs USING btree (fired_at);
CREATE INDEX schedule_runs_queued ON millrace.schedule_runs USING btree (schedule_id, due_at) WHERE (outcome = 'queued'::text);

create table millrace.schedules (
  id text not null,
  cron text not null,
  timezone text not null,
  definition_id text,
  job_type text,
  input jsonb not null,
  priority text,
  overlap text not null,
  catch_up text not null,
  enabled boolean not null,
  next_at timestamp with time zone,
  last_fired_at timestamp with time zone,
  changed_at timestamp with time zone not null,
  changed_by text not null,
  last_work_id text,
  failures integer not null default 0,
  last_error text,
  retry_at timestamp with time zone,
  constraint schedules_pkey PRIMARY KEY (id),
  constraint schedules_catch_up_check CHECK ((catch_up = ANY (ARRAY['none'::text, 'last'::text, 'all'::text]))),
  constraint schedules_check CHECK (((definition_id IS NULL) <> (job_type IS NULL))),
  constraint schedules_overlap_check CHECK ((overlap = ANY (ARRAY['skip'::text, 'queue'::text, 'cancel'::text])))
);
CREATE INDEX schedules_due ON millrace.schedules USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX schedules_failing ON millrace.schedules USING btree (failures) WHERE (failures > 0);

create table millrace.secrets (
  name text not null,
  secret bytea not null,
  constraint secrets_pkey PRIMARY KEY (name)
);

create table millrace.sessions (
  digest bytea not null,
  key_id text,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  user_id text,
  token_version integer,
  person jsonb,
  owner text default COALESCE(('key:'::text || key_id), ('user:'::text || user_id), ('oidc:'::text || (person ->> 'id'::text))),
  constraint sessions_pkey PRIMARY KEY (digest),
  constraint sessions_one_owner CHECK ((num_nonnulls(key_id, user_id, person) = 1))
);
CREATE INDEX sessions_owner ON millrace.sessions USING btree (owner, seen_at);

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

create table millrace.sink_moves (
  sink text collate "C" not null,
  to_seq bigint not null,
  at timestamp with time zone not null,
  constraint sink_moves_pkey PRIMARY KEY (sink, to_seq)
);

create table millrace.sinks (
  name text collate "C" not null,
  kind text not null,
  after_seq bigint not null,
  created_at timestamp with time zone not null,
  moved_at timestamp with time zone,
  failures integer not null default 0,
  last_error text,
  retry_at timestamp with time zone,
  constraint sinks_pkey PRIMARY KEY (name),
  constraint sinks_kind_check CHECK ((kind = ANY (ARRAY['in-process'::text, 'http'::text, 'kafka'::text])))
);

create table millrace.timers (
  instance_id text collate "C" not null,
  execution integer not null,
  timer text not null,
  due_at timestamp with time zone not null,
  failures integer not null default 0,
  last_error text,
  retry_at timestamp with time zone,
  constraint timers_pkey PRIMARY KEY (instance_id, execution, timer)
);
CREATE INDEX timers_due ON millrace.timers USING btree (due_at);
CREATE INDEX timers_failing ON millrace.timers USING btree (failures) WHERE (failures > 0);

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
CREATE INDEX user_tasks_due ON millrace.user_tasks USING btree (due_at) WHERE ((status = 'OPEN'::text) AND (due_at IS NOT NULL));
CREATE INDEX user_tasks_group ON millrace.user_tasks USING btree (assignee_group, instance_id) WHERE (status = 'OPEN'::text);
CREATE INDEX user_tasks_open ON millrace.user_tasks USING btree (instance_id, execution) WHERE (status = 'OPEN'::text);

create table millrace.users (
  id text not null,
  username text not null,
  email text not null,
  hashed_password text not null,
  is_active boolean not null default true,
  role text not null default 'USER'::text,
  token_version integer not null default 1,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone not null,
  signed_in_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_check CHECK ((length(email) <= 254)),
  constraint users_role_check CHECK ((role = ANY (ARRAY['USER'::text, 'ADMIN'::text]))),
  constraint users_username_check CHECK (((length(username) >= 1) AND (length(username) <= 50)))
);
CREATE INDEX users_revoked ON millrace.users USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE UNIQUE INDEX users_email ON millrace.users USING btree (lower(email));
CREATE UNIQUE INDEX users_username ON millrace.users USING btree (lower(username));

create table millrace.worker_sightings (
  worker_id text not null,
  job_types text[] not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  constraint worker_sightings_pkey PRIMARY KEY (worker_id)
) with (fillfactor=50);
CREATE INDEX worker_sightings_seen ON millrace.worker_sightings USING btree (last_seen_at);

create view millrace.idempotency_keys as
 SELECT scope,
    key,
    digest,
    status,
    outcome AS answer,
    created_at
   FROM request_keys
  WHERE (status IS NOT NULL);

create view millrace.live_jobs as
 SELECT jobs.instance_id,
    jobs.execution,
    jobs.queue_id,
    jobs.status,
    jobs.seq,
    jobs.step_id,
    jobs.retries_left,
    jobs.lost_leases,
    jobs.run_ms,
    jobs.epoch,
    jobs.nonce,
    jobs.worker_id,
    jobs.lease_until,
    jobs.run_until,
    jobs.visible_at,
    jobs.seen_version,
    jobs.created_at,
    jobs.waits_for,
    jobs.held_reason,
    jobs.payload,
    jobs.retry,
    jobs.fair_key,
    jobs.limit_key,
    jobs.downstream,
    jobs.replay_of,
    jobs.lease_ms,
    jobs.claimed_at,
    jobs.trace_context,
    jobs.effect_key
   FROM jobs
UNION ALL
 SELECT packed_jobs.instance_id,
    packed_jobs.execution,
    packed_jobs.queue_id,
    packed_jobs.status,
    packed_jobs.seq,
    packed_jobs.step_id,
    packed_jobs.retries_left,
    packed_jobs.lost_leases,
    packed_jobs.run_ms,
    packed_jobs.epoch,
    packed_jobs.nonce,
    packed_jobs.worker_id,
    packed_jobs.lease_until,
    packed_jobs.run_until,
    packed_jobs.visible_at,
    packed_jobs.seen_version,
    packed_jobs.created_at,
    packed_jobs.waits_for,
    packed_jobs.held_reason,
    packed_jobs.payload,
    packed_jobs.retry,
    packed_jobs.fair_key,
    packed_jobs.limit_key,
    packed_jobs.downstream,
    packed_jobs.replay_of,
    packed_jobs.lease_ms,
    packed_jobs.claimed_at,
    packed_jobs.trace_context,
    packed_jobs.effect_key
   FROM packed_jobs;

create view millrace.packed_jobs as
 SELECT (u.id COLLATE "C") AS instance_id,
    0 AS execution,
    p.queue_id,
    'leased'::text AS status,
    (0)::bigint AS seq,
    p.step_id,
    u.retries_left,
    0 AS lost_leases,
    NULL::integer AS run_ms,
    1 AS epoch,
    p.nonce,
    p.worker_id,
    p.lease_until,
    p.run_until,
    NULL::timestamp with time zone AS visible_at,
    NULL::integer AS seen_version,
    u.created_at,
    NULL::text AS waits_for,
    NULL::text AS held_reason,
    u.payload,
    NULL::json AS retry,
    NULL::text AS fair_key,
    NULL::text AS limit_key,
    NULL::text AS downstream,
    NULL::text AS replay_of,
    p.lease_ms,
    p.claimed_at,
    u.trace_context,
    NULL::text AS effect_key,
    p.first_id,
    p.last_id
   FROM (packs p
     CROSS JOIN LATERAL UNNEST(p.ids, p.payloads, p.created_at, p.retries_left, p.trace_contexts) WITH ORDINALITY u(id, payload, created_at, retries_left, trace_context, place))
  WHERE (get_bit((p.ended)::"bit", ((u.place)::integer - 1)) = 0);

create view millrace.trail as
 SELECT a.instance_id,
    e.seq,
    a.at,
    e.actor,
    e.kind,
    e.detail
   FROM (audit a
     CROSS JOIN LATERAL trail_entries(a.seq, a.actor, a.kind, a.detail, a.more) e(seq, actor, kind, detail));

create view millrace_views.best_effort_failure as
 SELECT instance_id,
    name AS step,
    error,
    ended_at AS failed_at
   FROM run_steps s
  WHERE ((status = 'FAILED'::text) AND (value IS NULL));

create view millrace_views.dead_letter_queue_item as
 SELECT id,
    step_id,
    instance_id AS workflow_id,
    error,
    retry_count,
    dead_at AS moved_at
   FROM dead_letters d;

create view millrace_views.event as
 SELECT ((e.id || '-'::text) || e.incarnation) AS id,
    e.type AS event_type,
    e.key,
    e.payload,
    e.headers,
    e.created_at,
        CASE
            WHEN ((p.event_id IS NULL) AND (s.after_seq >= e.seq)) THEN ( SELECT max(m.at) AS max
               FROM (sinks k
                 CROSS JOIN LATERAL ( SELECT sink_moves.at
                       FROM sink_moves
                      WHERE ((sink_moves.sink = k.name) AND (sink_moves.to_seq >= e.seq))
                      ORDER BY sink_moves.to_seq
                     LIMIT 1) m))
            ELSE NULL::timestamp with time zone
        END AS published_at,
    (p.event_id IS NOT NULL) AS parked,
    e.seq AS place
   FROM ((events e
     CROSS JOIN ( SELECT min(sinks.after_seq) AS after_seq
           FROM sinks) s)
     LEFT JOIN ( SELECT DISTINCT parked_events.event_id
           FROM parked_events) p ON ((p.event_id = e.id)));

create view millrace_views.jobs as
 SELECT j.instance_id AS id,
    q.job_type AS type,
        CASE j.status
            WHEN 'leased'::text THEN 'RUNNING'::text
            ELSE 'PENDING'::text
        END AS status,
    q.priority,
    j.payload,
    NULL::json AS result,
    ( SELECT count(*) AS count
           FROM attempts a
          WHERE ((a.instance_id = j.instance_id) AND (a.execution = 0) AND (a.outcome = ANY (ARRAY['failed'::text, 'timed-out'::text])))) AS retry_count,
    j.worker_id,
    ( SELECT a.error
           FROM attempts a
          WHERE ((a.instance_id = j.instance_id) AND (a.execution = 0))
          ORDER BY a.epoch DESC
         LIMIT 1) AS error,
    j.created_at,
    GREATEST(j.created_at, j.claimed_at) AS updated_at
   FROM (live_jobs j
     JOIN queues q ON ((q.id = j.queue_id)))
  WHERE (j.execution = 0)
UNION ALL
 SELECT h.instance_id AS id,
    q.job_type AS type,
        CASE h.status
            WHEN 'COMPLETED'::text THEN 'COMPLETED'::text
            ELSE 'FAILED'::text
        END AS status,
    q.priority,
    h.payload,
    h.delta AS result,
    h.retry_count,
    h.worker_id,
    h.failure_reason AS error,
    h.created_at,
    h.ended_at AS updated_at
   FROM (history h
     JOIN queues q ON ((q.id = h.queue_id)))
  WHERE (h.execution = 0);

create view millrace_views.queue_item as
 SELECT ((instance_id || '/'::text) || execution) AS queue_id,
    step_id,
    instance_id AS workflow_id,
    GREATEST(created_at, ( SELECT max(a.ended_at) AS max
           FROM attempts a
          WHERE ((a.instance_id = j.instance_id) AND (a.execution = j.execution)))) AS queued_at,
    ( SELECT count(*) AS count
           FROM attempts a
          WHERE ((a.instance_id = j.instance_id) AND (a.execution = j.execution) AND (a.outcome = ANY (ARRAY['failed'::text, 'timed-out'::text])))) AS retry_count
   FROM jobs j
  WHERE ((status = 'ready'::text) AND (execution > 0));

create view millrace_views.workflow as
 SELECT i.id,
    i.definition_id,
    k.key AS idempotency_key,
    i.input AS payload,
    'PENDING'::text AS status,
    COALESCE(j.visible_at, i.started_at) AS invisible_until,
    ( SELECT count(*) AS count
           FROM attempts a
          WHERE ((a.instance_id = i.id) AND (a.outcome = 'failed'::text))) AS retry_count,
    i.linking_id,
    i.started_at AS created_at,
    NULL::timestamp with time zone AS completed_at,
    ( SELECT a.error
           FROM attempts a
          WHERE ((a.instance_id = i.id) AND (a.outcome = ANY (ARRAY['failed'::text, 'timed-out'::text, 'lost'::text])))
          ORDER BY a.ended_at DESC
         LIMIT 1) AS last_error,
    NULL::text AS failed_step,
    i.variables AS context
   FROM ((instances i
     LEFT JOIN intake_keys k ON ((k.instance_id = i.id)))
     LEFT JOIN LATERAL ( SELECT min(COALESCE(j_1.visible_at, 'infinity'::timestamp with time zone)) AS visible_at
           FROM jobs j_1
          WHERE ((j_1.instance_id = i.id) AND (j_1.status = 'held'::text))) j ON (true))
UNION ALL
 SELECT i.id,
    i.definition_id,
    k.key AS idempotency_key,
    i.input AS payload,
        CASE i.status
            WHEN 'COMPLETED'::text THEN 'COMPLETE'::text
            ELSE 'FAILED'::text
        END AS status,
    i.started_at AS invisible_until,
    ( SELECT count(*) AS count
           FROM attempts a
          WHERE ((a.instance_id = i.id) AND (a.outcome = 'failed'::text))) AS retry_count,
    i.linking_id,
    i.started_at AS created_at,
    i.completed_at,
    i.failure_reason AS last_error,
        CASE
            WHEN (i.status = 'FAILED'::text) THEN COALESCE("substring"(i.failure_reason, '^(?!deadline: )(\S+?): '::text), i.definition_id)
            ELSE NULL::text
        END AS failed_step,
    i.variables AS context
   FROM (finished_instances i
     LEFT JOIN intake_keys k ON ((k.instance_id = i.id)));

create view millrace_views.workflow_step as
 SELECT j.instance_id AS workflow_id,
    j.execution,
    j.step_id AS name,
        CASE j.status
            WHEN 'leased'::text THEN 'running'::text
            WHEN 'ready'::text THEN 'queued'::text
            ELSE 'pending'::text
        END AS status,
    ( SELECT count(*) AS count
           FROM attempts a
          WHERE ((a.instance_id = j.instance_id) AND (a.execution = j.execution) AND (a.outcome = ANY (ARRAY['failed'::text, 'timed-out'::text])))) AS retry_count,
    ( SELECT a.error
           FROM attempts a
          WHERE ((a.instance_id = j.instance_id) AND (a.execution = j.execution))
          ORDER BY a.epoch DESC
         LIMIT 1) AS error_message,
    GREATEST(j.created_at, ( SELECT max(a.ended_at) AS max
           FROM attempts a
          WHERE ((a.instance_id = j.instance_id) AND (a.execution = j.execution)))) AS queued_at,
    NULL::timestamp with time zone AS ended_at
   FROM jobs j
  WHERE (j.execution > 0)
UNION ALL
 SELECT h.instance_id AS workflow_id,
    h.execution,
    h.step_id AS name,
        CASE h.status
            WHEN 'COMPLETED'::text THEN 'completed'::text
            WHEN 'FAILED'::text THEN 'failed'::text
            ELSE 'aborted'::text
        END AS status,
    ( SELECT count(*) AS count
           FROM attempts a
          WHERE ((a.instance_id = h.instance_id) AND (a.execution = h.execution) AND (a.outcome = ANY (ARRAY['failed'::text, 'timed-out'::text])))) AS retry_count,
    h.failure_reason AS error_message,
    h.started_at AS queued_at,
    h.ended_at
   FROM history h
  WHERE ((h.execution > 0) AND (h.step_type = 'SERVICE_TASK'::text));
