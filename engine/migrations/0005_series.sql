-- What the dashboard draws: counters by time, added up over all processes, and workers that were seen asking for work.

-- One row per span of 2, 10 and 300 seconds in which something happened. Counters are added to; gauges are what was seen last in the span, and
-- null where they were as before.
create table millrace.counter_series (
  span integer not null check (span in (2, 10, 300)),
  at timestamptz not null,
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
  primary key (span, at)
) with (fillfactor = 50);

-- Jobs that were handed out for a downstream with limits, by spans of 2 seconds.
create table millrace.downstream_series (
  at timestamptz not null,
  downstream text not null,
  started bigint not null,
  primary key (at, downstream)
) with (fillfactor = 50);

-- Workers have no table of their own: leases tell of those that work, and this of those that ask. A hint, refreshed every ten seconds or so.
create table millrace.worker_sightings (
  worker_id text primary key,
  job_types text[] not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null
) with (fillfactor = 50);
create index worker_sightings_seen on millrace.worker_sightings (last_seen_at);
