-- Which server, and which course of its history, the outbox was written by. A database that was restored to an earlier time, moved
-- to another server, or taken over by a standby is told by it: it may lack events that consumers have had.

-- The server's identifier and its timeline; null where the user may not ask.
create function millrace.lineage() returns text language plpgsql volatile as $$
begin
  return (select s.system_identifier from pg_control_system() s) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when insufficient_privilege or object_not_in_prerequisite_state then
  return null;
end $$;

alter table millrace.outbox add column lineage text;
update millrace.outbox set lineage = millrace.lineage();

-- How many events wait for the sink that is furthest behind, as `has_room_for_events` counts them.
create function millrace.waiting_events() returns bigint language sql volatile as $$
  select last.seq - greatest(waiting.after_seq,
    coalesce((select e.seq - 1 from millrace.events e order by e.seq limit 1), last.seq))
  from (select s.last_value as seq from millrace.event_seq s) last,
    (select min(s.after_seq) as after_seq from millrace.sinks s) waiting
$$;
