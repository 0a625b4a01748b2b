-- Which instance has taken the place of which by a restart. They are read with the instance, by findInstance.

-- name: insertRestarts
insert into millrace.restarts (instance_id, restart_of)
select * from @restarts as x (instance_id text, restart_of text)
