-- Dead letters: jobs that were given up, until somebody replays or discards them.

-- name: insertDeadSteps
insert into millrace.dead_letters (id, source, instance_id, execution, step_id, queue_id, reason, error, failure, attempts, retry_count, dead_at)
select x.id, 'step', j.instance_id, j.execution, j.step_id, j.queue_id, x.reason, x.error, x.failure, j.epoch, x.retry_count, x.dead_at
from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::timestamptz[])
  as x (id, instance_id, execution, reason, error, failure, retry_count, dead_at)
join millrace.jobs j on j.instance_id = x.instance_id and j.execution = x.execution

-- name: deleteDeadSteps
delete from millrace.dead_letters where instance_id = $1 and source = 'step'

-- name: findDeadLetter
select d.id, d.source, d.instance_id, d.execution, d.step_id, d.reason, d.error, d.failure, d.attempts, d.retry_count, d.dead_at,
  q.job_type, q.priority, q.definition_id,
  case d.source when 'job' then d.payload else (
    select coalesce(f.variables, f.input) from millrace.finished_instances f where f.id = d.instance_id
  ) end as payload
from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where d.id = $1 or (d.instance_id = $1 and d.execution = 0)

-- name: listDeadAttempts
select epoch, outcome, worker_id, error, ended_at from millrace.attempts where instance_id = $1 and execution = $2
union all
-- The last report ended the job: it is with the job's record, unless a lost worker's attempt did.
select h.epoch, case h.verb when 'complete' then 'refused' else 'failed' end, h.worker_id, $3, h.ended_at
from millrace.history h
where h.instance_id = $1 and h.execution = $2 and h.epoch is not null
  and not exists (
    select from millrace.attempts a where a.instance_id = h.instance_id and a.execution = h.execution and a.epoch = h.epoch
  )
order by epoch
limit $4

-- name: listDeadLetters, planned anew
select d.id, d.source, d.instance_id, d.execution, d.step_id, d.reason, d.error, d.failure, d.attempts, d.retry_count, d.dead_at,
  q.job_type, q.priority, q.definition_id, case when pg_column_size(d.payload) <= $5 then d.payload end as payload
from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where ($1::text is null or d.failure = $1) and d.id > $2 and d.id < $3
order by d.id desc
limit $4

-- name: listDeadLettersOfQueues, planned anew
select d.id, d.source, d.instance_id, d.execution, d.step_id, d.reason, d.error, d.failure, d.attempts, d.retry_count, d.dead_at,
  q.job_type, q.priority, q.definition_id, case when pg_column_size(d.payload) <= $5 then d.payload end as payload
from (
  -- A page of each queue by its own index: a type that is rare among a million others costs no more than a common one.
  select p.id
  from millrace.queues q
  cross join lateral (
    select c.id from millrace.dead_letters c
    where c.queue_id = q.id and ($1::text is null or c.failure = $1) and c.id > $2 and c.id < $3
    order by c.id desc
    limit $4
  ) p
  where ($6::text is null or q.job_type = $6) and ($7::text is null or q.priority = $7) and ($8::text is null or q.definition_id = $8)
  order by p.id desc
  limit $4
) page
join millrace.dead_letters d on d.id = page.id
join millrace.queues q on q.id = d.queue_id
order by d.id desc

-- name: listDeadGroups, planned anew
with recent as materialized (
  select failure, id from millrace.dead_letters where id > $1 and id < $2 order by id desc limit $3
),
groups as materialized (
  select failure from recent group by failure order by count(*) desc, max(id) desc limit $4
)
select g.failure, newest.error, counted.total, oldest.dead_at as first_at, newest.dead_at as last_at, (select count(*) from recent) as seen
from groups g
cross join lateral (
  select count(*) as total from (select from millrace.dead_letters d where d.failure = g.failure and d.id > $1 and d.id < $2 limit $5) capped
) counted
cross join lateral (
  select error, dead_at from millrace.dead_letters d where d.failure = g.failure and d.id > $1 and d.id < $2 order by d.id desc limit 1
) newest
cross join lateral (
  select dead_at from millrace.dead_letters d where d.failure = g.failure and d.id > $1 and d.id < $2 order by d.id limit 1
) oldest
order by counted.total desc, newest.dead_at desc

-- name: listDeadMatching, planned anew
select d.id from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where ($1::text is null or d.failure = $1) and d.id > $2 and d.id < $3
  and ($4::text is null or q.job_type = $4) and ($5::text is null or q.priority = $5) and ($6::text is null or q.definition_id = $6)
order by d.id
limit $7

-- name: countDeadMatching, planned anew
select count(*) as total from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where ($1::text is null or d.failure = $1) and d.id > $2 and d.id < $3
  and ($4::text is null or q.job_type = $4) and ($5::text is null or q.priority = $5) and ($6::text is null or q.definition_id = $6)

-- name: countDeadLetters, planned by index
select count(*) as total from (select from millrace.dead_letters limit $1) capped

-- name: seeDeadLetter
select id, source, instance_id, step_id from millrace.dead_letters where id = $1 or (instance_id = $1 and execution = 0)

-- name: lockDeadLetter
select d.id, d.source, d.instance_id, d.execution, d.step_id, d.error, d.payload, d.options, q.job_type, q.priority, q.downstream
from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
where d.id = $1 or (d.instance_id = $1 and d.execution = 0)
for update of d

-- name: deleteDeadLetter
delete from millrace.dead_letters where id = $1

-- name: noteDeadLetter
insert into millrace.changes (at, actor, kind, name, detail) values ((select millrace.clock()), $2, $3, $1, $4)

-- name: findDeadLetterNote
select at, actor, kind from millrace.changes
where name = $1 and kind in ('dead-letter-replayed', 'dead-letter-discarded')
order by id desc
limit 1

-- name: pruneDeadJobs
with gone as (
  delete from millrace.dead_letters
  where id in (select id from millrace.dead_letters where id > $1 and id < $2 and source = 'job' order by id limit $3)
  returning id
)
select count(*) as gone, max(id) as last_id from gone
