-- Pauses: work that is not handed out until somebody says so.

-- name: insertPause
insert into millrace.pauses (kind, name, reason, paused_by, paused_at) values ($1, $2, $3, $4, millrace.clock())
on conflict do nothing
returning kind, name, reason, paused_by as by, paused_at as at

-- name: findPause
select kind, name, reason, paused_by as by, paused_at as at from millrace.pauses where kind = $1 and name = $2

-- name: listPauses
select kind, name, reason, paused_by as by, paused_at as at from millrace.pauses order by paused_at, kind, name

-- name: deletePause
delete from millrace.pauses where kind = $1 and name = $2
returning kind, name, reason, paused_by as by, paused_at as at
