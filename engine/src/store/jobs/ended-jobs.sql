-- Standalone jobs that have ended, as people look through them: from the newest back, by the key of the history.

-- name: listEndedJobs, planned by index
-- The history has the steps of workflows too, and no index of its own for jobs: each completion would pay for it. So
-- many rows are looked at for one page, and the page after it goes on from there.
with looked as materialized (
  select h.instance_id, h.execution, h.step_id, h.attempt, h.status, h.ended_at, left(h.failure_reason, 500) as error,
    h.worker_id, h.queue_id, h.created_at, h.replay_of,
    row_number() over (order by h.instance_id desc, h.execution desc) as n
  from millrace.history h
  where (h.instance_id, h.execution) < (@instanceId::text, @execution::integer)
  order by h.instance_id desc, h.execution desc
  limit @lookAt
),
judged as (
  select l.*, l.execution = 0 and (@queueIds::integer[] is null or l.queue_id = any(@queueIds::integer[]))
    and (@status::text is null or l.status = @status) as matches
  from looked l
)
select j.instance_id, j.execution, j.step_id, j.attempt, j.status, j.ended_at, j.error, j.worker_id, j.created_at,
  j.replay_of, q.priority, j.matches, j.n = @lookAt as is_last
from judged j left join millrace.queues q on q.id = j.queue_id
-- The last that was looked at says where to go on, also where it does not match.
where j.matches or j.n = @lookAt
order by j.n
limit @limit

-- name: listEndedJobsOf, planned by index
select h.instance_id, h.execution, h.step_id, h.attempt, h.status, h.ended_at, left(h.failure_reason, 500) as error,
  h.worker_id, h.created_at, h.replay_of, q.priority
from millrace.history h left join millrace.queues q on q.id = h.queue_id
where h.instance_id = any(@ids::text[]) and h.execution = 0
  and (@queueIds::integer[] is null or h.queue_id = any(@queueIds::integer[]))
  and (@status::text is null or h.status = @status)

-- name: listAttemptsOfJob, planned by index
select epoch, outcome, worker_id, error, ended_at, detail
from millrace.attempts where instance_id = @id and execution = 0
order by epoch desc limit @limit
