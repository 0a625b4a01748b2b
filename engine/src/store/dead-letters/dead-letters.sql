-- Dead letters: jobs that were given up, until they are replayed or discarded.

-- name: insertDeadSteps
insert into millrace.dead_letters (
  id, source, instance_id, execution, step_id, queue_id, reason, error, failure, attempts, retry_count, dead_at
)
select x.id, 'step', j.instance_id, j.execution, j.step_id, j.queue_id, x.reason, x.error, x.failure,
  j.epoch, x.retry_count, x.dead_at
from @letters as x (
  id text, instance_id text, execution integer, reason text, error text, failure text, retry_count integer,
  dead_at timestamptz
)
join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution

-- name: deleteDeadSteps
delete from millrace.dead_letters where instance_id = @instanceId and source = 'step'

-- name: findDeadLetter
select d.id, d.source, d.instance_id, d.execution, d.step_id, d.reason, d.error, d.failure,
  d.attempts, d.retry_count, d.dead_at, q.job_type, q.priority, q.definition_id,
  case d.source when 'job' then d.payload else (
    select coalesce(f.variables, f.input) from millrace.finished_instances f where f.id = d.instance_id
  ) end as payload
from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where d.id in (@id, (select o.id from millrace.dead_letters o where o.instance_id = @id and o.execution = 0))

-- name: listDeadAttempts
select epoch, outcome, worker_id, error, ended_at
from millrace.attempts where instance_id = @instanceId and execution = @execution
union all
-- The last report ended the job: it is with the job's record, unless a lost worker's attempt did.
select h.epoch, case h.verb when 'complete' then 'refused' else 'failed' end, h.worker_id, @error, h.ended_at
from millrace.history h
where h.instance_id = @instanceId and h.execution = @execution and h.epoch is not null
  and not exists (
    select from millrace.attempts a
    where a.instance_id = h.instance_id and a.execution = h.execution and a.epoch = h.epoch
  )
order by epoch
limit @limit

-- name: listDeadLetters, planned anew
select d.id, d.source, d.instance_id, d.execution, d.step_id, d.reason, d.error, d.failure,
  d.attempts, d.retry_count, d.dead_at, q.job_type, q.priority, q.definition_id,
  case when pg_column_size(d.payload) <= @payloadMax then d.payload end as payload
from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where (@source::text is null or d.source = @source)
  and (@failure::text is null or d.failure = @failure) and d.id > @afterId and d.id < @beforeId
order by d.id desc
limit @limit

-- name: listDeadLettersOfQueues, planned anew
select d.id, d.source, d.instance_id, d.execution, d.step_id, d.reason, d.error, d.failure,
  d.attempts, d.retry_count, d.dead_at, q.job_type, q.priority, q.definition_id,
  case when pg_column_size(d.payload) <= @payloadMax then d.payload end as payload
from (
  -- A page of each queue by its own index: a type that is rare among a million others costs no more than a common one.
  select p.id
  from millrace.queues q
  cross join lateral (
    select c.id from millrace.dead_letters c
    where c.queue_id = q.id and (@source::text is null or c.source = @source)
      and (@failure::text is null or c.failure = @failure)
      and c.id > @afterId and c.id < @beforeId
    order by c.id desc
    limit @limit
  ) p
  where (@type::text is null or q.job_type = @type) and (@priority::text is null or q.priority = @priority)
    and (@definitionId::text is null or q.definition_id = @definitionId)
  order by p.id desc
  limit @limit
) page
join millrace.dead_letters d on d.id = page.id
join millrace.queues q on q.id = d.queue_id
order by d.id desc

-- name: listDeadGroups, planned anew
-- The newest entries are looked at, the groups with most of them are shown, each counted over all of its own.
with recent as materialized (
  select failure, id from millrace.dead_letters where id > @afterId and id < @beforeId order by id desc limit @entries
),
groups as materialized (
  select failure from recent group by failure order by count(*) desc, max(id) desc limit @groups
)
select g.failure, newest.error, counted.total, oldest.dead_at as first_at, newest.dead_at as last_at,
  (select count(*) from recent) as seen
from groups g
cross join lateral (
  select count(*) as total from (
    select from millrace.dead_letters d
    where d.failure = g.failure and d.id > @afterId and d.id < @beforeId limit @countedTo
  ) capped
) counted
cross join lateral (
  select error, dead_at from millrace.dead_letters d
  where d.failure = g.failure and d.id > @afterId and d.id < @beforeId order by d.id desc limit 1
) newest
cross join lateral (
  select dead_at from millrace.dead_letters d
  where d.failure = g.failure and d.id > @afterId and d.id < @beforeId order by d.id limit 1
) oldest
order by counted.total desc, newest.dead_at desc

-- name: describeDeadGroups, planned anew
-- What died of each of those errors, and when; all of them have the same spans of time, so that they can be compared.
with recent as materialized (
  select failure, id, source, queue_id, extract(epoch from dead_at)::float8 as died
  from millrace.dead_letters where id > @afterId and id < @beforeId order by id desc limit @entries
),
groups as materialized (
  select failure from recent group by failure order by count(*) desc, max(id) desc limit @groups
),
period as (
  select min(died) as since,
    greatest(least(@until::float8, extract(epoch from (select millrace.clock()))::float8), max(died)) + 0.001 as until
  from recent
),
spans as (
  select failure, json_object_agg(span, deaths) as spans
  from (
    select r.failure, width_bucket(r.died, p.since, p.until, @spans::integer) - 1 as span, count(*) as deaths
    from recent r cross join period p group by 1, 2
  ) counted
  group by failure
),
sources as (
  select r.failure, case r.source when 'step' then q.definition_id end as definition_id, q.job_type, count(*) as deaths
  from recent r join millrace.queues q on q.id = r.queue_id group by 1, 2, 3
)
select g.failure, p.since * 1000 as since, p.until * 1000 as until, s.spans, o.total, o.first_few
from groups g cross join period p join spans s on s.failure = g.failure
cross join lateral (
  select count(*) as total, json_agg(json_build_object('definitionId', definition_id, 'type', job_type, 'count', deaths)
    order by place) filter (where place <= @sources) as first_few
  from (
    select c.*, row_number() over (order by deaths desc, definition_id, job_type) as place
    from sources c where c.failure = g.failure
  ) ordered
) o

-- name: listDeadMatching, planned anew
select d.id from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where (@source::text is null or d.source = @source)
  and (@failure::text is null or d.failure = @failure) and d.id > @afterId and d.id < @beforeId
  and (@type::text is null or q.job_type = @type) and (@priority::text is null or q.priority = @priority)
  and (@definitionId::text is null or q.definition_id = @definitionId)
order by d.id
limit @limit

-- name: countDeadMatching, planned anew
select count(*) as total from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where (@source::text is null or d.source = @source)
  and (@failure::text is null or d.failure = @failure) and d.id > @afterId and d.id < @beforeId
  and (@type::text is null or q.job_type = @type) and (@priority::text is null or q.priority = @priority)
  and (@definitionId::text is null or q.definition_id = @definitionId)

-- name: countDeadLetters, planned by index
select count(*) as total from (select from millrace.dead_letters limit @cap) capped

-- name: seeDeadLetter
select id, source, instance_id, step_id
from millrace.dead_letters
where id in (@id, (select o.id from millrace.dead_letters o where o.instance_id = @id and o.execution = 0))

-- name: lockDeadLetter
select d.id, d.source, d.instance_id, d.execution, d.step_id, d.error, d.payload, d.options,
  q.job_type, q.priority, q.downstream
from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where d.id in (@id, (select o.id from millrace.dead_letters o where o.instance_id = @id and o.execution = 0))
for update of d

-- name: deleteDeadLetter
delete from millrace.dead_letters where id = @id

-- name: noteDeadLetter
insert into millrace.changes (at, actor, kind, name, detail)
values ((select millrace.clock()), @actor, @kind, @id, @detail)

-- name: findDeadLetterNote
-- By its own id or that of its standalone job: each has an index of its own.
select c.at, c.actor, c.kind, c.detail ->> 'jobId' as job_id
from (
  select id from millrace.changes
  where name = @id and kind in ('dead-letter-replayed', 'dead-letter-discarded')
  union all
  select id from millrace.changes
  where detail ->> 'of' = @id and kind in ('dead-letter-replayed', 'dead-letter-discarded')
) x
join millrace.changes c on c.id = x.id
order by c.id desc
limit 1

-- name: pruneDeadJobs
with gone as (
  delete from millrace.dead_letters
  where id in (
    select id from millrace.dead_letters
    where id > @afterId and id < @beforeId and source = 'job' order by id limit @limit
  )
  returning id
)
select count(*) as gone, max(id) as last_id from gone
