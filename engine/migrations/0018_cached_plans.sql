-- Functions that every event goes through. In PL/pgSQL the plans of their statements are kept for the session; in SQL they were
-- made again at each call, which was half of what publishing an event cost.

-- The same answer as before.
create or replace function millrace.has_room_for_events() returns boolean language plpgsql volatile as $$
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
end $$;

-- A ULID of the database's time, with 64 random bits of a UUID: hexadecimal digits are digits of a ULID too. Those that carry
-- the UUID's version and variant are left out.
create or replace function millrace.new_id() returns text language plpgsql volatile as $$
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
end $$;
