-- Jobs on their way through Kafka: a row from the claim of the relay until the consumers have passed the message. Empty
-- where jobs are polled.

-- When a lease ends that has no end: of a job whose message no consumer has passed.
create function millrace.endless() returns timestamptz language sql immutable as $$
  select timestamptz '9999-01-01 00:00:00+00'
$$;

create table millrace.dispatches (
  instance_id text collate "C" not null,
  execution integer not null,
  -- Of the claim: a job that is dispatched anew has another.
  epoch integer not null,
  -- The same however often the message is sent; in the order of the claims.
  dedup_id text collate "C" not null,
  job_type text collate "C" not null,
  created_at timestamptz not null,
  -- The variables were too large for a message, and the worker asks for them.
  by_reference boolean not null default false,
  -- Where the message is; null until the broker has it.
  partition integer,
  log_offset bigint,
  published_at timestamptz,
  primary key (instance_id, execution, epoch)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index dispatches_unpublished on millrace.dispatches (dedup_id) where published_at is null;
create index dispatches_published on millrace.dispatches (job_type, partition, log_offset)
  where published_at is not null;

-- What becomes of a job whose variables are larger than a message may be: it fails, or the worker asks for them.
alter table millrace.job_types add column large_payload text check (large_payload in ('fail', 'reference'));
