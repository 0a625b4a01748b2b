-- The pulse: one statement a second that renews this process's leaderships and tells every loop what is due.

-- name: beat
with t as (select millrace.clock() as now, set_config('synchronous_commit', 'off', true) as relaxed),
alive as (
  insert into millrace.processes (id, started_at, seen_at, lists, live_version, knows_packs)
  select @processId, t.now, t.now, @lists::json, @liveVersion::bigint, true from t on conflict (id) do update
  set seen_at = excluded.seen_at, lists = excluded.lists, live_version = excluded.live_version),
polled as (update millrace.queues set polled_at = (select now from t) where id = any(@polledQueues::integer[])
  and (polled_at is null or polled_at < (select now from t) - interval '10 s')),
led as (
  insert into millrace.leaders (name, holder, term, until) select wanted.name, @processId, 1,
    t.now + @termMs::integer * interval '1 ms' from unnest(@loops::text[]) as wanted (name), t
  on conflict (name) do update set holder = excluded.holder, until = excluded.until,
    term = leaders.term + (leaders.holder <> excluded.holder)::integer
  where leaders.holder = excluded.holder or leaders.until < (select now from t) returning name, term)
select t.now, (select coalesce(json_object_agg(led.name, led.term), '{}') from led) as terms,
  x.others, x.all_know_packs,
  (select sum(hashint4(case when q.retired_at is null then q.id else -q.id end)) from millrace.queues q) as queues,
  (select version from millrace.live_version) as live_version, exists (select from millrace.limits) as has_limits,
  (select max(p.seen_at) from millrace.processes p) as last_seen_at,
  (select due_at from millrace.timers order by due_at limit 1) as timer_due_at,
  least((select lease_until from millrace.packs order by lease_until limit 1), (select lease_until from millrace.jobs
    where status = 'leased' and lease_until >= @sweptUntil::timestamptz order by lease_until limit 1)) as lease_due_at,
  (select visible_at from millrace.jobs where status = 'held' order by visible_at limit 1) as held_due_at,
  (select next_at from millrace.chains where child_id is null order by next_at limit 1) as chain_due_at,
  (select next_at from millrace.requests where set_aside_at is null order by next_at limit 1) as request_due_at,
  least((select next_at from millrace.schedules where next_at is not null order by next_at limit 1),
    (select t.now from millrace.schedule_runs where outcome = 'queued' order by schedule_id, due_at limit 1)
  ) as schedule_due_at,
  exists (select from millrace.bulk_operations where finished_at is null) as bulk_waits,
  (select id from millrace.depth_deltas where id > (select after from millrace.depth_fold)
    order by id limit 1) is not null or exists (
    select from millrace.alerts where told_at is null and raised_at < t.now - interval '30 s') as depths_wait,
  array(select name from millrace.gates where shut) as shut_gates, array(
    select w.queue_id from unnest(@waitingQueues::integer[], @after::bigint[]) as w (queue_id, after) where exists (
      select from millrace.jobs j where j.queue_id = w.queue_id and j.status = 'ready' and j.seq > w.after)
  ) as ready_queues, millrace.due_sinks(@sinks::text[], t.now) as due_sinks,
  @takesBack::boolean and exists (select from millrace.dispatches) as dispatches_left
from t, lateral (select count(*) filter (where p.id <> @processId) as others, coalesce(bool_and(p.knows_packs), true)
  as all_know_packs from millrace.processes p where p.seen_at > t.now - interval '5 s') x

-- name: expectTerm
select millrace.expect_term(@loop, @term)

-- name: resign
update millrace.leaders set until = '-infinity' where holder = @processId

-- name: isListWorked
select exists (
  select from millrace.processes
  where seen_at > (select millrace.clock()) - interval '10 s' and (lists ->> @name)::integer >= @version
) as worked

-- name: isLed
select exists (select from millrace.leaders where name = @loop and until > (select millrace.clock())) as led

-- name: retire
delete from millrace.processes where id = @processId or seen_at < (select millrace.clock()) - interval '1 hour'

-- name: forgetProcesses
delete from millrace.processes where seen_at < (select millrace.clock()) - interval '1 hour'
