-- Wake-ups between processes.

-- name: notify
select pg_notify($1, $2)
