-- What must never be seen, one query each. Read-only, one snapshot each, so that they hold under load; @fromId is the
-- id to begin at ('' is all).

-- name: inBothTables
select i.id as instance_id, i.status || ' and ' || f.status as detail
from millrace.instances i join millrace.finished_instances f on f.id = i.id
where i.id >= @fromId order by 1 limit @limit

-- name: withoutOpenStep
select i.id as instance_id, i.status as detail
from millrace.instances i
where i.id >= @fromId and json_array_length(i.state -> 'open') = 0
order by 1 limit @limit

-- name: stepsWithoutWork
with steps as materialized (
  select d.id, d.version, s ->> 'id' as step_id, s ->> 'type' as type
  from millrace.definitions d, json_array_elements(d.document::json -> 'steps') s
)
select i.id as instance_id, s.type || ' ' || s.step_id || ', execution ' || (o ->> 'execution') as detail
from millrace.instances i
cross join json_array_elements(i.state -> 'open') o
join steps s on s.id = i.definition_id and s.version = i.definition_version and s.step_id = o ->> 'stepId'
where i.id >= @fromId and case s.type
  when 'SERVICE_TASK' then not exists (
    select from millrace.jobs j where j.instance_id = i.id and j.execution = (o ->> 'execution')::integer)
  when 'USER_TASK' then not exists (
    select from millrace.user_tasks u where u.instance_id = i.id and u.execution = (o ->> 'execution')::integer
      and u.status = 'OPEN')
  else s.type <> 'WAIT' end
order by 1 limit @limit

-- name: jobsWithoutStep
select j.instance_id, 'job of ' || j.step_id || ', execution ' || j.execution || ', ' || j.status as detail
from millrace.jobs j left join millrace.instances i on i.id = j.instance_id
where j.instance_id >= @fromId and j.execution > 0 and not exists (
  select from json_array_elements(i.state -> 'open') o
  where (o ->> 'execution')::integer = j.execution and o ->> 'stepId' = j.step_id)
order by 1 limit @limit

-- name: timersWithoutStep
select t.instance_id, t.timer || ' of execution ' || t.execution as detail
from millrace.timers t left join millrace.instances i on i.id = t.instance_id
where t.instance_id >= @fromId and (i.id is null or t.execution <> 0) and not exists (
  select from json_array_elements(i.state -> 'open') o where (o ->> 'execution')::integer = t.execution)
order by 1 limit @limit

-- name: userTasksWithoutStep
select u.instance_id, 'task of ' || u.step_id || ', execution ' || u.execution as detail
from millrace.user_tasks u left join millrace.instances i on i.id = u.instance_id
where u.status = 'OPEN' and u.instance_id >= @fromId and not exists (
  select from json_array_elements(i.state -> 'open') o where (o ->> 'execution')::integer = u.execution)
order by 1 limit @limit

-- name: businessKeys
select coalesce(i.id, b.instance_id) as instance_id,
  case when i.id is null then 'the key is kept by an instance that is not live: ' || b.business_key
    else 'the instance does not hold its key: ' || i.business_key end as detail
from (select * from millrace.instances where business_key is not null and id >= @fromId) i
full join (select * from millrace.business_keys where instance_id >= @fromId) b
  on b.instance_id = i.id and b.business_key = i.business_key and b.definition_id = i.definition_id
where i.id is null or b.instance_id is null
order by 1 limit @limit

-- name: leaseShapes
select j.instance_id, j.status || ' job of ' || j.step_id || ', execution ' || j.execution as detail
from millrace.jobs j
where j.instance_id >= @fromId and (
  (j.status = 'leased') <> (j.lease_until is not null)
  or (j.status = 'leased' and (j.nonce is null or j.worker_id is null or j.epoch = 0))
  or (j.status = 'held') <> (j.visible_at is not null or j.waits_for is not null
      or (j.status = 'held' and j.limit_key is not null)))
order by 1 limit @limit

-- name: jobsInBoth
select j.instance_id, j.status || ' job of ' || j.step_id || ' has ended as ' || h.status as detail
from millrace.jobs j join millrace.history h on h.instance_id = j.instance_id and h.execution = j.execution
where j.instance_id >= @fromId
order by 1 limit @limit

-- name: brokenLimits
select min(j.instance_id) as instance_id,
  count(*) || ' jobs of limit key ' || l.key || ' are ready or leased, of ' || l.max as detail
from millrace.limits l join millrace.jobs j on j.limit_key = l.key and j.status in ('ready', 'leased')
where j.instance_id >= @fromId
group by l.key, l.max
having count(*) > l.max
order by 1 limit @limit

-- name: attemptCounts
select j.instance_id,
  'job of ' || j.step_id || ' was delivered ' || j.epoch || ' times, but ' || a.ended || ' ended' as detail
from millrace.jobs j
cross join lateral (
  select count(*) as ended from millrace.attempts a where a.instance_id = j.instance_id and a.execution = j.execution
) a
where j.instance_id >= @fromId and j.epoch <> a.ended + (j.status = 'leased')::integer
order by 1 limit @limit

-- name: forkTokens
select i.id as instance_id,
  'fork ' || (f ->> 'id') || ' of ' || (f ->> 'branches') || ' branches: '
  || t.live || ' live, ' || (f ->> 'arrived') || ' arrived' as detail
from millrace.instances i
cross join json_array_elements(i.state -> 'forks') f
cross join lateral (
  select (select count(*) from json_array_elements(i.state -> 'open') o where o ->> 'fork' = f ->> 'id')
    + (select count(*) from json_array_elements(i.state -> 'forks') c where c ->> 'parent' = f ->> 'id') as live
) t
where i.id >= @fromId and t.live + (f ->> 'arrived')::integer <> (f ->> 'branches')::integer
order by 1 limit @limit

-- name: joinCounts
select h.instance_id, count(*) filter (where h.step_type = 'PARALLEL_GATEWAY') || ' forks, '
  || count(*) filter (where h.step_type = 'JOIN_GATEWAY') || ' joins' as detail
from millrace.history h
join millrace.finished_instances f on f.id = h.instance_id and f.status = 'COMPLETED'
where h.instance_id >= @fromId and h.step_type in ('PARALLEL_GATEWAY', 'JOIN_GATEWAY')
group by h.instance_id
having count(*) filter (where h.step_type = 'PARALLEL_GATEWAY') <> count(*) filter (where h.step_type = 'JOIN_GATEWAY')
order by 1 limit @limit

-- name: executionCounts
with recorded as (
  select instance_id, count(*) as closed, max(execution) as last,
    count(*) filter (where ended_at < started_at) as backwards
  from millrace.history where instance_id >= @fromId and execution > 0 group by instance_id
)
select r.instance_id,
  r.closed || ' closed' || coalesce(' and ' || json_array_length(i.state -> 'open') || ' open', '') || ' executions of '
  || coalesce((i.state ->> 'executions')::integer, r.last)
  || ', ' || r.backwards || ' ended before they started' as detail
from recorded r left join millrace.instances i on i.id = r.instance_id
where r.backwards > 0
  or r.closed + coalesce(json_array_length(i.state -> 'open'), 0)
    <> coalesce((i.state ->> 'executions')::integer, r.last)
order by 1 limit @limit

-- name: auditGaps
select a.instance_id, 'rows ' || min(a.seq) || ' to ' || max(a.seq) || ', but ' || count(*) || ' of them' as detail
from millrace.audit a
where a.instance_id >= @fromId and a.instance_id <> ''
group by a.instance_id
having min(a.seq) <> 1 or max(a.seq) <> count(*)
order by 1 limit @limit

-- name: auditVersions
select i.id as instance_id, 'version ' || i.version || ', but the last audit row is ' || coalesce(a.last, 0) as detail
from (
  select id, version from millrace.instances where id >= @fromId
  union all select id, version from millrace.finished_instances where id >= @fromId
) i
left join (
  select instance_id, max(seq) as last from millrace.audit where instance_id >= @fromId group by instance_id
) a on a.instance_id = i.id
where i.version <> coalesce(a.last, 0)
order by 1 limit @limit

-- name: auditEnds
with ends as (
  select instance_id,
    count(*) filter (where kind in ('INSTANCE_COMPLETED', 'INSTANCE_FAILED', 'INSTANCE_CANCELLED')) as ended,
    count(*) filter (where kind = 'STEP_RETRIED') as retried
  from millrace.audit where instance_id >= @fromId group by instance_id
)
select i.id as instance_id, i.status || ' after ' || e.ended || ' ends and ' || e.retried || ' retries' as detail
from (
  select id, status, 0 as more from millrace.instances where id >= @fromId
  union all select id, status, 1 from millrace.finished_instances where id >= @fromId
) i
join ends e on e.instance_id = i.id
where e.ended <> e.retried + i.more
order by 1 limit @limit

-- name: pendingChains
select c.parent_id as instance_id,
  'to ' || c.definition_id || ', parent ' || coalesce(f.status, 'not finished') as detail
from millrace.chains c left join millrace.finished_instances f on f.id = c.parent_id
where c.parent_id >= @fromId and c.child_id is null and f.status is distinct from 'COMPLETED'
order by 1 limit @limit

-- name: depthCounters
-- Of the whole queue, whatever the instance is: a counter belongs to no instance.
with live as (
  select x.queue_id, sum(x.counted) as counted, sum(x.there) as there
  from (
    select queue_id, live as counted, 0 as there from millrace.depths
    union all select queue_id, delta, 0 from millrace.depth_deltas
    union all select queue_id, 0, count(*) from millrace.jobs group by queue_id
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

-- name: overdueLeases
select j.instance_id, 'job of ' || j.step_id || ' with ' || j.worker_id || ' since ' || j.lease_until as detail
from millrace.jobs j
where j.status = 'leased' and j.lease_until < (select millrace.clock()) - interval '30 s' and j.instance_id >= @fromId
order by j.lease_until limit @limit

-- name: overdueTimers
select t.instance_id, t.timer || ' since ' || t.due_at as detail
from millrace.timers t
where t.due_at < (select millrace.clock()) - interval '30 s' and t.instance_id >= @fromId
order by t.due_at limit @limit

-- name: overdueRetries
select j.instance_id, 'job of ' || j.step_id || ' since ' || j.visible_at as detail
from millrace.jobs j
where j.status = 'held' and j.visible_at < (select millrace.clock()) - interval '30 s' and j.instance_id >= @fromId
order by j.visible_at limit @limit

-- name: overdueRequests
select r.instance_id, r.verb || ' since ' || r.next_at as detail
from millrace.requests r
where r.set_aside_at is null and r.next_at < (select millrace.clock()) - interval '30 s' and r.instance_id >= @fromId
order by r.next_at limit @limit

-- name: setAsideRequests
select r.instance_id, r.verb || ', number ' || r.seq || ': ' || r.last_error as detail
from millrace.requests r
where r.set_aside_at is not null and r.instance_id >= @fromId
order by r.set_aside_at limit @limit
