-- The outbox: an event is a row that is written with what it tells of, and sent to every sink after the commit, at least once
-- and in the order of its key.

-- One row. Every id of an event carries the incarnation: after a restore to an earlier time the database is given a new
-- one, so that what is published from then on cannot be taken for what was published and lost.
create table millrace.outbox (
  singleton boolean primary key default true check (singleton),
  incarnation text not null,
  -- Publishing is refused while more events than this wait for a sink: before the disk is full.
  high_watermark bigint not null default 10000000 check (high_watermark > 0)
);
insert into millrace.outbox (incarnation) values (left(gen_random_uuid()::text, 8));

-- The order of publishing; the first number is spent here, so that the last value is always one that was given out.
create sequence millrace.event_seq minvalue 0 start 0 cache 1;
select nextval('millrace.event_seq');

-- The transaction has its number before its event has its place. The relay counts on it: once all transactions are over that
-- had begun to write when it read the last place, no event can appear before that place any more.
create function millrace.next_event_seq() returns bigint language plpgsql as $$
begin
  perform pg_current_xact_id();
  return nextval('millrace.event_seq');
end $$;

-- Append-only. Partitioned by week as history is; a week goes when every sink has had all of it.
create table millrace.events (
  id text collate "C" not null,
  seq bigint not null default millrace.next_event_seq(),
  incarnation text not null,
  type text not null,
  key text,
  payload jsonb not null,
  headers jsonb not null,
  created_at timestamptz not null,
  primary key (id)
) partition by range (id);
create table millrace.events_default partition of millrace.events default;
create index events_seq on millrace.events (seq);

-- Where events go. `after_seq` is the position: everything up to it has been sent, is parked, or is not for this sink.
create table millrace.sinks (
  name text collate "C" primary key,
  kind text not null check (kind in ('in-process', 'http', 'kafka')),
  after_seq bigint not null,
  created_at timestamptz not null,
  -- Of the last move.
  moved_at timestamptz,
  -- While the sink as a whole takes nothing.
  failures integer not null default 0,
  last_error text,
  retry_at timestamptz
);

-- Events that a sink did not take, while it took others. Those of the same key that come later are parked behind it.
create table millrace.parked_events (
  sink text collate "C" not null,
  seq bigint not null,
  event_id text collate "C" not null,
  key text,
  reason text not null,
  attempts integer not null,
  parked_at timestamptz not null,
  -- When it is tried again. Null waits for an operator, or behind an earlier one of its key.
  next_at timestamptz,
  primary key (sink, seq)
);
create index parked_events_key on millrace.parked_events (sink, key, seq) where key is not null;
create index parked_events_due on millrace.parked_events (sink, next_at) where next_at is not null;
create index parked_events_event on millrace.parked_events (event_id);

-- Which position a sink had reached when: by it a reader is told when an event was published.
create table millrace.sink_moves (
  sink text collate "C" not null,
  to_seq bigint not null,
  at timestamptz not null,
  primary key (sink, to_seq)
);

-- Of the given sinks those that have something to do: events above the position, or a parked one that is due.
create function millrace.due_sinks(names text[], now timestamptz) returns text[] language sql stable as $$
  select array(
    select s.name from millrace.sinks s
    where s.name = any(names) and coalesce(s.retry_at <= now, true) and (
      s.after_seq < (select last_value from millrace.event_seq)
      or exists (select from millrace.parked_events p where p.sink = s.name and p.next_at <= now))
  )
$$;

-- Whether one more event may be published. Places of transactions that were rolled back count until the sinks have passed them.
create function millrace.has_room_for_events() returns boolean language sql volatile as $$
  select last.seq - coalesce((select min(s.after_seq) from millrace.sinks s),
      (select e.seq - 1 from millrace.events e order by e.seq limit 1), last.seq)
    < (select o.high_watermark from millrace.outbox o)
  from (select last_value as seq from millrace.event_seq) last
$$;

create function millrace.expect_event(type text, payload jsonb, key text, headers jsonb) returns void language plpgsql as $$
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
end $$;

-- The outbox for other languages: in the caller's own transaction. Returns the event's id. It runs with the rights of its owner,
-- so that a role needs no right on the tables: grant execute on it to the roles that may publish, and to no others.
create function millrace.publish(type text, payload jsonb, key text default null, headers jsonb default '{}')
  returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
end $$;
revoke execute on function millrace.publish from public;

-- For readers: an event is published once every sink has it, or it was not for that sink.
create view millrace_views.event as
select e.id || '-' || e.incarnation as id, e.type as event_type, e.key, e.payload, e.headers, e.created_at,
  case when p.event_id is null and s.after_seq >= e.seq then (
    select max(m.at) from millrace.sinks k cross join lateral (
      select at from millrace.sink_moves where sink = k.name and to_seq >= e.seq order by to_seq limit 1) m
  ) end as published_at,
  p.event_id is not null as parked
from millrace.events e
cross join (select min(after_seq) as after_seq from millrace.sinks) s
left join (select distinct event_id from millrace.parked_events) p on p.event_id = e.id;
