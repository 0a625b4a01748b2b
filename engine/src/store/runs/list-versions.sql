-- The versions of its list that may go on with a run.

-- name: listVersionsAtHand, planned by index
-- That of the worker which recorded last, and those that a process works on.
select distinct version from (
  (select list_version as version from millrace.run_steps
  where instance_id = @instanceId order by seq desc nulls last limit 1)
  union all
  select (lists ->> @list)::integer from millrace.processes
  where seen_at > (select millrace.clock()) - interval '10 s'
) x
where version is not null
