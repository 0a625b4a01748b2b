-- Queues: what a worker may claim, as one number.

-- name: ensureQueues
insert into millrace.queues (priority, job_type, definition_id, downstream, is_fair)
select * from @keys as x (priority text, job_type text, definition_id text, downstream text, is_fair boolean)
order by 2, 1, 3, 4, 5
on conflict do nothing

-- name: listQueues
select id, priority, job_type, definition_id, downstream, is_fair from millrace.queues where id > @afterId order by id
