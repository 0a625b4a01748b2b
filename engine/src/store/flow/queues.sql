-- Queues: what a worker may claim, as one number.

-- name: ensureQueues
insert into millrace.queues (priority, job_type, definition_id, downstream, is_fair)
select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[]) as x (priority, job_type, definition_id, downstream, is_fair)
order by 2, 1, 3, 4, 5
on conflict do nothing

-- name: listQueues
select id, priority, job_type, definition_id, downstream, is_fair from millrace.queues where id > $1 order by id
