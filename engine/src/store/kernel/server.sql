-- The database server itself: whether it answers, what time it has, how safely it writes.

-- name: ping
select 1 as answer

-- name: readClock
select millrace.clock() as now

-- name: readDurability
select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit

-- name: hasSchema
select to_regclass('millrace.migrations') is not null as there
