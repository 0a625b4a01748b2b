-- The queue: jobs that stand alone, what steers how fast and in which order work is handed out, schedules, and dead letters.

-- A standalone job is execution 0 of an id of its own: the same row, the same history, no instance. Its queue has an empty definition_id.
-- Jobs with a fair key have queues of their own, because they are read in turn by key and not in order of arrival.
alter table millrace.queues add column is_fair boolean not null default false;
alter table millrace.queues drop constraint queues_job_type_priority_definition_id_downstream_key;
alter table millrace.queues add unique (job_type, priority, definition_id, downstream, is_fair);

alter table millrace.jobs
  add column payload jsonb,
  -- Null is the default of its kind: `jittered`.
  add column retry json,
  add column fair_key text,
  add column limit_key text,
  -- Set where a downstream bounds how many may be leased at once.
  add column downstream text,
  -- The job whose dead letter was replayed as this one.
  add column replay_of text,
  -- As given at the claim: a heartbeat that names no other extends by as much.
  add column lease_ms integer,
  add column claimed_at timestamptz;
create index jobs_fair on millrace.jobs (queue_id, fair_key, seq) where status = 'ready' and fair_key is not null;
create index jobs_limited on millrace.jobs (limit_key, status, seq) where limit_key is not null;
create index jobs_at_downstream on millrace.jobs (downstream) where status = 'leased' and downstream is not null;

-- A standalone job's record when it has ended. Its step_id is its type, its step_type JOB, its delta the result.
alter table millrace.history
  add column queue_id integer,
  add column payload jsonb,
  add column created_at timestamptz,
  add column retry_count integer,
  add column replay_of text,
  drop constraint history_status_check,
  add constraint history_status_check check (status in ('COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED'));

-- `key` is an idempotency key per type, kept as long as the job's record.
create table millrace.job_keys (
  job_type text collate "C" not null,
  key text collate "C" not null,
  job_id text collate "C" not null,
  digest bytea not null,
  primary key (job_type, key)
);
create index job_keys_job on millrace.job_keys (job_id);

-- `unique`: one job per key and window.
create table millrace.job_uniques (
  job_type text collate "C" not null,
  key text collate "C" not null,
  job_id text collate "C" not null,
  until timestamptz not null,
  primary key (job_type, key)
);
create index job_uniques_until on millrace.job_uniques (until);

-- How many jobs of a limit key may be ready or leased. The row is the lock under which held ones are let go; there is no counter that could drift.
create table millrace.limits (
  key text collate "C" primary key,
  max integer not null check (max > 0),
  -- Refreshed now and then while jobs come: one that nobody has set for a day, and that no job carries, is forgotten.
  set_at timestamptz not null default millrace.clock()
);

-- Lets go as many held jobs of each key as its limit has room for, in the order they came. Whoever frees room calls it; calling it once more is harmless.
create function millrace.fill_limits(keys text[]) returns table (queue_id integer) language plpgsql as $$
begin
  -- In key order, and last in its transaction: two of them never wait for each other crosswise.
  perform from millrace.limits l where l.key = any(keys) order by l.key for update;
  return query
  update millrace.jobs j
  set status = 'ready', seq = nextval('millrace.job_seq'), held_reason = null
  from (
    select f.instance_id, f.execution
    from millrace.limits l
    cross join lateral (
      select h.instance_id, h.execution from millrace.jobs h
      where h.limit_key = l.key and h.status = 'held' and h.visible_at is null
      order by h.seq
      limit greatest(0, l.max - (select count(*) from millrace.jobs a where a.limit_key = l.key and a.status in ('ready', 'leased')))
      for update skip locked
    ) f
    where l.key = any(keys)
  ) freed
  where j.instance_id = freed.instance_id and j.execution = freed.execution
  returning j.queue_id;
end $$;

-- How many jobs are live, by queue: appended deltas, one row per queue and batch, folded each second. `lane` is null for the steps of workflows.
create table millrace.depth_deltas (
  id bigint generated always as identity primary key,
  queue_id integer not null,
  lane text,
  delta integer not null
);
create table millrace.depths (
  queue_id integer primary key,
  live bigint not null
) with (fillfactor = 50);

-- The gates of admission, by lane and in total: where they stand, and the depth of standalone jobs as folded.
create table millrace.gates (
  name text primary key check (name in ('critical', 'high', 'normal', 'total')),
  live bigint not null default 0,
  -- Null is the configuration's value.
  high integer,
  low integer,
  shut boolean not null default false,
  changed_at timestamptz not null default millrace.clock(),
  check (low < high)
) with (fillfactor = 50);
insert into millrace.gates (name) values ('critical'), ('high'), ('normal'), ('total');
-- Every delta up to here is folded.
create table millrace.depth_fold (
  only_one boolean primary key default true check (only_one),
  after bigint not null
);
insert into millrace.depth_fold (after) values (0);

-- Turns the gates by the depth as it is committed now, and names those that are shut. OPEN to SHUT at the high mark, SHUT to OPEN below the low
-- one; a gate that stands as it should is not written.
create function millrace.turn_gates(lane_high integer, lane_low integer, total_high integer, total_low integer) returns text[] language plpgsql as $$
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
end $$;

-- The next ready jobs of a fair queue, locked: in turn by key, from the one that was served last. The first few places go to the jobs that
-- have waited longest, whatever their keys.
create function millrace.next_fair(queue integer, after_key text, quota integer, aged integer) returns table (place tid, slot bigint)
language plpgsql as $$
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
end $$;

-- What operators change while the engine runs. Each change counts the version up, and every process reads what it does not know yet.
create table millrace.live_version (
  only_one boolean primary key default true check (only_one),
  version bigint not null
);
insert into millrace.live_version (version) values (1);
alter table millrace.processes add column live_version bigint not null default 0;

create table millrace.live_settings (
  name text primary key,
  value json not null,
  changed_at timestamptz not null,
  changed_by text not null
);

-- Who changed what, newest last; kept as long as anything else.
create table millrace.changes (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  kind text not null,
  name text not null,
  detail json
);
create index changes_at on millrace.changes (at);

create table millrace.pauses (
  kind text not null check (kind in ('queue', 'jobType', 'definition', 'downstream')),
  name text not null,
  reason text,
  paused_by text not null,
  paused_at timestamptz not null,
  primary key (kind, name)
);

create table millrace.job_types (
  name text primary key,
  timeout_ms integer check (timeout_ms > 0),
  -- What its workers have declared for all its jobs, wherever they come from.
  defaults json
);

-- What a downstream can take, and how far it has been used. A claim locks the row, counts, and writes it: the pace holds over all processes.
create table millrace.downstreams (
  name text primary key,
  per_second double precision check (per_second > 0),
  concurrency integer check (concurrency > 0),
  adaptive boolean not null default false,
  -- Everything up to here is spent.
  spent_until timestamptz not null default 'epoch',
  -- Where it pushed back last: it recovers from this share of its pace, step by step.
  share double precision not null default 1 check (share > 0 and share <= 1),
  slowed_at timestamptz not null default 'epoch',
  -- It asked to be left alone until then.
  closed_until timestamptz not null default 'epoch'
) with (fillfactor = 50);

create table millrace.schedules (
  id text primary key,
  cron text not null,
  timezone text not null,
  definition_id text,
  job_type text,
  input jsonb not null,
  priority text,
  overlap text not null check (overlap in ('skip', 'queue', 'cancel')),
  catch_up text not null check (catch_up in ('none', 'last', 'all')),
  enabled boolean not null,
  -- Null: never again, or not enabled.
  next_at timestamptz,
  last_fired_at timestamptz,
  changed_at timestamptz not null,
  changed_by text not null,
  check ((definition_id is null) <> (job_type is null))
);
create index schedules_due on millrace.schedules (next_at) where next_at is not null;

-- One row per tick: the primary key is what makes it fire once.
create table millrace.schedule_runs (
  schedule_id text not null,
  due_at timestamptz not null,
  fired_at timestamptz not null,
  -- How it came about: by time, or by hand.
  cause text not null check (cause in ('cron', 'manual')),
  outcome text not null check (outcome in ('started', 'skipped', 'queued', 'failed')),
  -- The instance or the job.
  work_id text,
  detail text,
  primary key (schedule_id, due_at, cause)
);
create index schedule_runs_queued on millrace.schedule_runs (schedule_id, due_at) where outcome = 'queued';
create index schedule_runs_fired on millrace.schedule_runs (fired_at);

-- What was given up: out of retries, beyond retrying, or lost with its workers once too often.
create table millrace.dead_letters (
  id text collate "C" primary key,
  source text not null check (source in ('job', 'step')),
  instance_id text collate "C" not null,
  execution integer not null,
  -- The instance's step; a standalone job's type.
  step_id text not null,
  queue_id integer not null,
  reason text not null check (reason in ('exhausted', 'not-retryable', 'worker-lost')),
  error text not null,
  -- Fingerprint of the error: like ones are listed together.
  failure text not null,
  attempts integer not null,
  retry_count integer not null,
  -- Of a standalone job. A step's is with its instance.
  payload jsonb,
  options json,
  dead_at timestamptz not null,
  unique (instance_id, execution)
);
create index dead_letters_failure on millrace.dead_letters (failure, id);
create index dead_letters_queue on millrace.dead_letters (queue_id, id);

alter table millrace.bulk_operations drop constraint bulk_operations_action_check;
alter table millrace.bulk_operations add constraint bulk_operations_action_check check (action in ('cancel', 'retry', 'replay', 'discard'));

-- Standalone jobs and workflow steps under the names people count by.
create view millrace_views.jobs as
select j.instance_id as id, q.job_type as type, case j.status when 'leased' then 'RUNNING' else 'PENDING' end as status, q.priority, j.payload,
  null::json as result, (select count(*) from millrace.attempts a where a.instance_id = j.instance_id and a.execution = 0 and a.outcome in ('failed', 'timed-out')) as retry_count,
  j.worker_id, (select a.error from millrace.attempts a where a.instance_id = j.instance_id and a.execution = 0 order by a.epoch desc limit 1) as error,
  j.created_at, greatest(j.created_at, j.claimed_at) as updated_at
from millrace.jobs j join millrace.queues q on q.id = j.queue_id
where j.execution = 0
union all
select h.instance_id, q.job_type, case h.status when 'COMPLETED' then 'COMPLETED' else 'FAILED' end, q.priority, h.payload,
  h.delta, h.retry_count, h.worker_id, h.failure_reason, h.created_at, h.ended_at
from millrace.history h join millrace.queues q on q.id = h.queue_id
where h.execution = 0;

create view millrace_views.workflow_step as
select j.instance_id as workflow_id, j.execution, j.step_id as name, case j.status when 'leased' then 'running' when 'ready' then 'queued' else 'pending' end as status,
  (select count(*) from millrace.attempts a where a.instance_id = j.instance_id and a.execution = j.execution and a.outcome in ('failed', 'timed-out')) as retry_count,
  (select a.error from millrace.attempts a where a.instance_id = j.instance_id and a.execution = j.execution order by a.epoch desc limit 1) as error_message,
  greatest(j.created_at, (select max(a.ended_at) from millrace.attempts a where a.instance_id = j.instance_id and a.execution = j.execution)) as queued_at,
  null::timestamptz as ended_at
from millrace.jobs j
where j.execution > 0
union all
select h.instance_id, h.execution, h.step_id, case h.status when 'COMPLETED' then 'completed' when 'FAILED' then 'failed' else 'aborted' end,
  (select count(*) from millrace.attempts a where a.instance_id = h.instance_id and a.execution = h.execution and a.outcome in ('failed', 'timed-out')),
  h.failure_reason, h.started_at, h.ended_at
from millrace.history h
where h.execution > 0 and h.step_type = 'SERVICE_TASK';

create view millrace_views.queue_item as
select j.instance_id || '/' || j.execution as queue_id, j.step_id, j.instance_id as workflow_id,
  greatest(j.created_at, (select max(a.ended_at) from millrace.attempts a where a.instance_id = j.instance_id and a.execution = j.execution)) as queued_at,
  (select count(*) from millrace.attempts a where a.instance_id = j.instance_id and a.execution = j.execution and a.outcome in ('failed', 'timed-out')) as retry_count
from millrace.jobs j
where j.status = 'ready' and j.execution > 0;

create view millrace_views.dead_letter_queue_item as
select d.id, d.step_id, d.instance_id as workflow_id, d.error, d.retry_count, d.dead_at as moved_at
from millrace.dead_letters d;

-- One error of one type among a million others; and what became of an entry that is gone.
create index dead_letters_queue_failure on millrace.dead_letters (queue_id, failure, id);
create index changes_dead_letter on millrace.changes (name) where kind in ('dead-letter-replayed', 'dead-letter-discarded');

-- Jobs that are live as this is applied count at their downstream too, and have had no deltas.
update millrace.jobs j set downstream = q.downstream from millrace.queues q where q.id = j.queue_id and q.downstream <> '';
insert into millrace.depths (queue_id, live) select queue_id, count(*) from millrace.jobs group by queue_id;

-- Alerts that stand: raised once, and again only after they were cleared. `told_at` is null until whoever is to know has been told.
create table millrace.alerts (
  name text primary key,
  raised_at timestamptz not null,
  detail json not null,
  told_at timestamptz
);

-- The instance or job that the last run of a schedule has started: while it is live, the next tick overlaps.
alter table millrace.schedules add column last_work_id text;
