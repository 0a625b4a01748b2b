-- Alerts that stand. The row is what keeps a new leader from raising one again.

-- name: listAlerts
-- Telling takes half a minute at most: after that the process that was to tell is gone.
select name, raised_at, detail,
  told_at is null and raised_at < (select millrace.clock()) - interval '30 s' as is_left
from millrace.alerts

-- name: raiseAlert
insert into millrace.alerts (name, raised_at, detail) values (@name, (select millrace.clock()), @detail)
on conflict do nothing
returning name, raised_at, detail, false as is_left

-- name: clearAlert
delete from millrace.alerts where name = @name

-- name: markTold
update millrace.alerts set told_at = (select millrace.clock()) where name = @name and told_at is null
