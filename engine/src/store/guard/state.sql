-- Shadow mode as operators have set it, and the changes that processes have to read.

-- name: readState
select version, shadow, shadow_by, shadow_at from millrace.guard_state

-- name: lockState
select version, shadow, shadow_by, shadow_at from millrace.guard_state for no key update

-- name: setShadow
update millrace.guard_state set shadow = @shadow::json, shadow_by = @actor, shadow_at = @at::timestamptz

-- name: noteGuardChange
-- The row of the state stays locked until the commit: a version that is seen has no earlier one that is still to come.
with counted as (update millrace.guard_state set version = version + 1 returning version)
insert into millrace.guard_changes (version, act, kind, value, changed_at)
select version, @act, @kind, @value, @at::timestamptz from counted

-- name: readGuardChanges
select version, act, kind, value from millrace.guard_changes where version > @version order by version limit @limit
