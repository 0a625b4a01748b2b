-- Pauses: work that is not handed out until an operator ends the pause.

-- name: insertPause
insert into millrace.pauses (kind, name, reason, paused_by, paused_at)
values (@kind, @name, @reason, @actor, millrace.clock())
on conflict do nothing
returning kind, name, reason, paused_by as by, paused_at as at

-- name: findPause
select kind, name, reason, paused_by as by, paused_at as at from millrace.pauses where kind = @kind and name = @name

-- name: listPauses
select kind, name, reason, paused_by as by, paused_at as at from millrace.pauses order by paused_at, kind, name

-- name: deletePause
delete from millrace.pauses where kind = @kind and name = @name
returning kind, name, reason, paused_by as by, paused_at as at
