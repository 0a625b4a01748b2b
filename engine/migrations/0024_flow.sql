-- What the overview draws: what went through each part of the queue, and which user tasks are late.

-- Spans of 2 seconds, kept for an hour. `accepted` and `refused` are by door, `claimed` by priority, `started` by downstream. It takes the
-- place of downstream_series, which had the last of the four alone: what a process of the version before counts beside it is lost.
create table millrace.flow_series (
  at timestamptz not null,
  part text not null check (part in ('accepted', 'refused', 'claimed', 'started')),
  name text not null,
  jobs bigint not null,
  primary key (at, part, name)
) with (fillfactor = 50);
insert into millrace.flow_series (at, part, name, jobs)
select at, 'started', downstream, started from millrace.downstream_series;
drop table millrace.downstream_series;

-- Those that are late are counted by it, up to a bound.
create index user_tasks_due on millrace.user_tasks (due_at) where status = 'OPEN' and due_at is not null;
