-- Work of the loops that fails again and again is set aside: it is tried later and later, and its last error is
-- kept for those who look. Chains and requests had this before; timers and schedules get it now.

-- When to try again after so many earlier failures: 1, 2, 4 … 60 s.
create function millrace.next_try(failures integer) returns timestamptz language sql volatile parallel safe
  as $$select millrace.clock() + least(60000, 1000 * 2 ^ least(failures, 6)) * interval '1 ms'$$;

-- What could not be done keeps its time, and is not tried before `retry_at`.
alter table millrace.timers add column failures integer not null default 0, add column last_error text,
  add column retry_at timestamptz;
alter table millrace.schedules add column failures integer not null default 0, add column last_error text,
  add column retry_at timestamptz;

-- Few rows: what is set aside is found without reading the rest.
create index timers_failing on millrace.timers (failures) where failures > 0;
create index schedules_failing on millrace.schedules (failures) where failures > 0;
create index chains_failing on millrace.chains (failures) where child_id is null and failures > 0;
create index requests_failing on millrace.requests (failures) where failures > 0;
