-- What must never be seen, one query each. Read-only, one snapshot each, so that they hold under load; @fromId is the
-- id to begin at ('' is all).
-- Each reads its tables once and joins them by equality only, never row by row (no correlated subquery, no lateral
-- over a table): planned whole, it works in proportion to the rows even without statistics. What an instance has open
-- is unnested once per instance, not once per job; materialized, because what is folded into the rest may be run once
-- per row.

-- name: missingObjects, planned whole
-- Checks the whole database, whatever @fromId is.
with rooms as (
  select relnamespace as room, false as for_readers from pg_class where oid = to_regclass('millrace.migrations')
  union all select n.oid, true from pg_namespace n where n.oid = to_regnamespace('millrace_views')
),
present as (
  select r.for_readers, 'function' as kind, p.proname::text as name
  from pg_proc p join rooms r on r.room = p.pronamespace
  union all
  select r.for_readers, k.kind, c.relname::text
  from pg_class c join rooms r on r.room = c.relnamespace
  join (values ('r', 'table'), ('p', 'table'), ('i', 'index'), ('I', 'index'), ('S', 'sequence'), ('v', 'view'))
    k (code, kind) on k.code = c.relkind::text
)
select x.kind || ' ' || x.name as instance_id,
  case when x.for_readers then 'one of the views for readers' else 'the engine needs it' end as detail
from @objects as x (kind text, for_readers boolean, name text)
left join present p on p.kind = x.kind and p.for_readers = x.for_readers and p.name = x.name
where p.name is null and @fromId::text is not null
order by x.for_readers, 1 limit @limit

-- name: inBothTables, planned whole
select i.id as instance_id, i.status || ' and ' || f.status as detail
from millrace.instances i join millrace.finished_instances f on f.id = i.id
where i.id >= @fromId order by 1 limit @limit

-- name: withoutOpenStep, planned whole
select i.id as instance_id, i.status as detail
from millrace.instances i
where i.id >= @fromId and json_array_length(i.state -> 'open') = 0
order by 1 limit @limit

-- name: stepsWithoutWork, planned whole
with steps as materialized (
  select d.id, d.version, s ->> 'id' as step_id, s ->> 'type' as type
  from millrace.definitions d, json_array_elements(d.document::json -> 'steps') s
),
open_steps as materialized (
  select i.id, i.definition_id, i.definition_version, o ->> 'stepId' as step_id,
    (o ->> 'execution')::integer as execution
  from millrace.instances i, json_array_elements(i.state -> 'open') o
  where i.id >= @fromId
)
select o.id as instance_id, s.type || ' ' || s.step_id || ', execution ' || o.execution as detail
from open_steps o
join steps s on s.id = o.definition_id and s.version = o.definition_version and s.step_id = o.step_id
left join millrace.jobs j on j.instance_id = o.id and j.execution = o.execution
left join millrace.user_tasks u on u.instance_id = o.id and u.execution = o.execution and u.status = 'OPEN'
where case s.type
  when 'SERVICE_TASK' then j.instance_id is null
  when 'USER_TASK' then u.instance_id is null
  else s.type <> 'WAIT' end
order by 1 limit @limit

-- name: jobsWithoutStep, planned whole
with open_steps as materialized (
  select i.id, o ->> 'stepId' as step_id, (o ->> 'execution')::integer as execution
  from millrace.instances i, json_array_elements(i.state -> 'open') o
  where i.id >= @fromId
)
select j.instance_id, 'job of ' || j.step_id || ', execution ' || j.execution || ', ' || j.status as detail
from millrace.jobs j
left join open_steps o on o.id = j.instance_id and o.execution = j.execution and o.step_id = j.step_id
where j.instance_id >= @fromId and j.execution > 0 and o.id is null
order by 1 limit @limit

-- name: jobsWithoutQueue, planned whole
select j.instance_id, 'job of ' || j.step_id || ', execution ' || j.execution || ', queue ' || j.queue_id as detail
from millrace.live_jobs j left join millrace.queues q on q.id = j.queue_id
where j.instance_id >= @fromId and q.id is null
order by 1 limit @limit

-- name: timersWithoutStep, planned whole
with guarded as materialized (
  select i.id, (o ->> 'execution')::integer as execution
  from millrace.instances i, json_array_elements(i.state -> 'open') o
  where i.id >= @fromId
  -- Execution 0 is the instance itself.
  union all select id, 0 from millrace.instances where id >= @fromId
)
select t.instance_id, t.timer || ' of execution ' || t.execution as detail
from millrace.timers t left join guarded g on g.id = t.instance_id and g.execution = t.execution
where t.instance_id >= @fromId and g.id is null
order by 1 limit @limit

-- name: userTasksWithoutStep, planned whole
with open_steps as materialized (
  select i.id, (o ->> 'execution')::integer as execution
  from millrace.instances i, json_array_elements(i.state -> 'open') o
  where i.id >= @fromId
)
select u.instance_id, 'task of ' || u.step_id || ', execution ' || u.execution as detail
from millrace.user_tasks u left join open_steps o on o.id = u.instance_id and o.execution = u.execution
where u.status = 'OPEN' and u.instance_id >= @fromId and o.id is null
order by 1 limit @limit

-- name: businessKeys, planned whole
select coalesce(i.id, b.instance_id) as instance_id,
  case when i.id is null then 'the key is kept by an instance that is not live: ' || b.business_key
    else 'the instance does not hold its key: ' || i.business_key end as detail
from (select * from millrace.instances where business_key is not null and id >= @fromId) i
full join (select * from millrace.business_keys where instance_id >= @fromId) b
  on b.instance_id = i.id and b.business_key = i.business_key and b.definition_id = i.definition_id
where i.id is null or b.instance_id is null
order by 1 limit @limit

-- name: leaseShapes, planned whole
select j.instance_id, j.status || ' job of ' || j.step_id || ', execution ' || j.execution as detail
from millrace.live_jobs j
where j.instance_id >= @fromId and (
  (j.status = 'leased') <> (j.lease_until is not null)
  or (j.status = 'leased' and (j.nonce is null or j.worker_id is null or j.epoch = 0))
  or (j.status = 'held') <> (j.visible_at is not null or j.waits_for is not null
      or (j.status = 'held' and j.limit_key is not null)))
order by 1 limit @limit

-- name: jobsInBoth, planned whole
select j.instance_id, j.status || ' job of ' || j.step_id || ' has ended as ' || h.status as detail
from millrace.live_jobs j join millrace.history h on h.instance_id = j.instance_id and h.execution = j.execution
where j.instance_id >= @fromId and h.instance_id >= @fromId
union all
select instance_id, 'job of ' || min(step_id) || ' is live in ' || count(*) || ' places'
from millrace.live_jobs where instance_id >= @fromId group by instance_id, execution having count(*) > 1
order by 1 limit @limit

-- name: brokenLimits, planned whole
select min(j.instance_id) as instance_id,
  count(*) || ' jobs of limit key ' || l.key || ' are ready or leased, of ' || l.max as detail
from millrace.limits l join millrace.jobs j on j.limit_key = l.key and j.status in ('ready', 'leased')
where j.instance_id >= @fromId
group by l.key, l.max
having count(*) > l.max
order by 1 limit @limit

-- name: attemptCounts, planned whole
select j.instance_id,
  'job of ' || j.step_id || ' was delivered ' || j.epoch || ' times, but ' || count(a.epoch) || ' ended' as detail
from millrace.live_jobs j
left join millrace.attempts a
  on a.instance_id = j.instance_id and a.execution = j.execution and a.instance_id >= @fromId
where j.instance_id >= @fromId
group by j.instance_id, j.execution, j.step_id, j.epoch, j.status
having j.epoch <> count(a.epoch) + (j.status = 'leased')::integer
order by 1 limit @limit

-- name: forkTokens, planned whole
with forks as materialized (
  select i.id, f ->> 'id' as fork, f ->> 'parent' as parent, (f ->> 'branches')::integer as branches,
    (f ->> 'arrived')::integer as arrived
  from millrace.instances i, json_array_elements(i.state -> 'forks') f
  where i.id >= @fromId
),
tokens as (
  select i.id, o ->> 'fork' as fork from millrace.instances i, json_array_elements(i.state -> 'open') o
  where i.id >= @fromId
  union all select id, parent from forks
)
select f.id as instance_id, 'fork ' || f.fork || ' of ' || f.branches || ' branches: '
  || count(t.id) || ' live, ' || f.arrived || ' arrived' as detail
from forks f left join tokens t on t.id = f.id and t.fork = f.fork
group by f.id, f.fork, f.branches, f.arrived
having count(t.id) + f.arrived <> f.branches
order by 1 limit @limit

-- name: joinCounts, planned whole
select h.instance_id, count(*) filter (where h.step_type = 'PARALLEL_GATEWAY') || ' forks, '
  || count(*) filter (where h.step_type = 'JOIN_GATEWAY') || ' joins' as detail
from millrace.history h
join millrace.finished_instances f on f.id = h.instance_id and f.status = 'COMPLETED' and f.id >= @fromId
where h.instance_id >= @fromId and h.step_type in ('PARALLEL_GATEWAY', 'JOIN_GATEWAY')
group by h.instance_id
having case sign(count(*) filter (where h.step_type = 'PARALLEL_GATEWAY')
    - count(*) filter (where h.step_type = 'JOIN_GATEWAY'))
  when 0 then false
  when -1 then true
  -- An END that a path outside the fork has reached stops the branches.
  else not exists (
    select from millrace.history e
    join millrace.history s on s.instance_id = e.instance_id and s.status = 'SKIPPED'
    where e.instance_id = h.instance_id and e.step_type = 'END'
  )
end
order by 1 limit @limit

-- name: executionCounts, planned whole
with recorded as (
  select instance_id, count(*) as closed, max(execution) as last,
    count(*) filter (where ended_at < started_at) as backwards
  from millrace.history where instance_id >= @fromId and execution > 0 group by instance_id
)
select r.instance_id,
  r.closed || ' closed' || coalesce(' and ' || json_array_length(i.state -> 'open') || ' open', '') || ' executions of '
  || coalesce((i.state ->> 'executions')::integer, r.last)
  || ', ' || r.backwards || ' ended before they started' as detail
from recorded r left join millrace.instances i on i.id = r.instance_id and i.id >= @fromId
where r.backwards > 0
  or r.closed + coalesce(json_array_length(i.state -> 'open'), 0)
    <> coalesce((i.state ->> 'executions')::integer, r.last)
order by 1 limit @limit

-- name: auditGaps, planned whole
select a.instance_id, 'rows ' || min(a.seq) || ' to ' || max(a.seq) || ', but ' || count(*) || ' of them' as detail
from millrace.trail a
where a.instance_id >= @fromId and a.instance_id <> ''
group by a.instance_id
having min(a.seq) <> 1 or max(a.seq) <> count(*)
order by 1 limit @limit

-- name: auditVersions, planned whole
select i.id as instance_id, 'version ' || i.version || ', but the last audit row is ' || coalesce(a.last, 0) as detail
from (
  select id, version from millrace.instances where id >= @fromId
  union all select id, version from millrace.finished_instances where id >= @fromId
) i
left join (
  select instance_id, max(seq) as last from millrace.trail where instance_id >= @fromId group by instance_id
) a on a.instance_id = i.id
where i.version <> coalesce(a.last, 0)
order by 1 limit @limit

-- name: auditEnds, planned whole
with ends as (
  select instance_id,
    count(*) filter (where kind in ('INSTANCE_COMPLETED', 'INSTANCE_FAILED', 'INSTANCE_CANCELLED')) as ended,
    count(*) filter (where kind = 'STEP_RETRIED') as retried
  from millrace.trail where instance_id >= @fromId group by instance_id
)
select i.id as instance_id, i.status || ' after ' || e.ended || ' ends and ' || e.retried || ' retries' as detail
from (
  select id, status, 0 as more from millrace.instances where id >= @fromId
  union all select id, status, 1 from millrace.finished_instances where id >= @fromId
) i
join ends e on e.instance_id = i.id
where e.ended <> e.retried + i.more
order by 1 limit @limit

-- name: pendingChains, planned whole
select c.parent_id as instance_id,
  'to ' || c.definition_id || ', parent ' || coalesce(f.status, 'not finished') as detail
from millrace.chains c left join millrace.finished_instances f on f.id = c.parent_id
where c.parent_id >= @fromId and c.child_id is null and f.status is distinct from 'COMPLETED'
order by 1 limit @limit

-- name: depthCounters, planned whole
-- Checks the whole queue, whatever @fromId is: a counter belongs to no instance.
with live as (
  select x.queue_id, sum(x.counted) as counted, sum(x.there) as there
  from (
    select queue_id, live as counted, 0 as there from millrace.depths
    union all select queue_id, delta, 0 from millrace.depth_deltas
    union all select queue_id, 0, count(*) from millrace.live_jobs group by queue_id
  ) x
  group by x.queue_id
),
counters as (
  select 'queue of ' || q.priority || ' ' || q.job_type as name, l.counted, l.there
  from live l join millrace.queues q on q.id = l.queue_id
  union all
  select 'gate of ' || g.name,
    g.live + coalesce((
      select sum(d.delta) from millrace.depth_deltas d
      where d.lane = g.name or (g.name = 'total' and d.lane is not null)
    ), 0),
    coalesce((
      select sum(l.there) from live l join millrace.queues q on q.id = l.queue_id
      where q.definition_id = '' and g.name in (q.priority, 'total')
    ), 0)
  from millrace.gates g
)
select c.name as instance_id, c.there || ' jobs are there, counted as ' || c.counted as detail
from counters c
where c.counted <> c.there and @fromId::text is not null
order by 1 limit @limit

-- name: overdueLeases, planned whole
select j.instance_id, 'job of ' || j.step_id || ' with ' || j.worker_id || ' since ' || j.lease_until as detail
from millrace.live_jobs j
where j.status = 'leased' and j.lease_until < (select millrace.clock()) - interval '30 s' and j.instance_id >= @fromId
order by j.lease_until limit @limit

-- name: overdueTimers, planned whole
-- One that fails again and again is overdue for a reason of its own, which failingTimers tells.
select t.instance_id, t.timer || ' since ' || t.due_at as detail
from millrace.timers t
where t.due_at < (select millrace.clock()) - interval '30 s' and t.failures < 3 and t.instance_id >= @fromId
order by t.due_at limit @limit

-- name: overdueRetries, planned whole
select j.instance_id, 'job of ' || j.step_id || ' since ' || j.visible_at as detail
from millrace.jobs j
where j.status = 'held' and j.visible_at < (select millrace.clock()) - interval '30 s' and j.instance_id >= @fromId
order by j.visible_at limit @limit

-- name: overdueRequests, planned whole
select r.instance_id, r.verb || ' since ' || r.next_at as detail
from millrace.requests r
where r.set_aside_at is null and r.next_at < (select millrace.clock()) - interval '30 s' and r.instance_id >= @fromId
order by r.next_at limit @limit

-- name: failingTimers, planned whole
select t.instance_id, 'execution ' || t.execution || ', timer ' || t.timer || ', failed ' || t.failures || ' times: '
  || t.last_error as detail
from millrace.timers t
where t.failures > 2 and t.instance_id >= @fromId
order by t.failures desc, t.instance_id limit @limit

-- name: failingChains, planned whole
select c.parent_id as instance_id, 'next workflow ' || c.definition_id || ', failed ' || c.failures || ' times: '
  || c.last_error as detail
from millrace.chains c
where c.child_id is null and c.failures > 2 and c.parent_id >= @fromId
order by c.failures desc, c.parent_id limit @limit

-- name: failingSchedules, planned whole
-- A schedule has no instance: it is told by its own id, whichever instances are looked at.
select 'schedule ' || s.id as instance_id, 'failed ' || s.failures || ' times: ' || s.last_error as detail
from millrace.schedules s
where s.failures > 2 and @fromId::text is not null
order by s.failures desc, s.id limit @limit

-- name: setAsideRequests, planned whole
select r.instance_id, r.verb || ', number ' || r.seq || ': ' || r.last_error as detail
from millrace.requests r
where r.set_aside_at is not null and r.instance_id >= @fromId
order by r.set_aside_at limit @limit

-- name: oldTransactionIds, planned whole
-- Autovacuum begins to freeze at 200 million unless it is told otherwise.
-- At 2,147 million the server takes no more writes.
select 'database ' || d.datname as instance_id,
  age(d.datfrozenxid) || ' transaction ids are in use, of 2147483647 at most' as detail
from pg_database d
where d.datname = current_database() and age(d.datfrozenxid) > 1000000000 and @fromId::text is not null
order by 1 limit @limit
