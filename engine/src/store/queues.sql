-- Queues: what a worker may claim, as one number.

-- name: ensureQueues
insert into millrace.queues (priority, job_type, definition_id, downstream)
select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as x (priority, job_type, definition_id, downstream)
order by 2, 1, 3, 4
on conflict do nothing

-- name: listQueues
select id, priority, job_type, definition_id, downstream from millrace.queues where id > $1 order by id
