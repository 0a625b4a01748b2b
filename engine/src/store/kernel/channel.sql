-- Wake-ups between processes.

-- name: notify
select pg_notify(@channel, @payload)
