-- Where the live instances of a definition stand, from the state that the planner keeps of each.

-- name: listActivity, planned by index
-- The oldest first, as the index has them: however many there are, no more than asked for are read.
select n.instances, s.version, s.step_id, s.open, s.older
from (
  select count(*) as instances from (
    select from millrace.instances where definition_id = @definitionId order by id limit @limit
  ) counted
) n
left join (
  select l.definition_version as version, o."stepId" as step_id, count(*) as open,
    count(*) filter (
      where o."startedAt" < extract(epoch from (select millrace.clock())) * 1000 - @olderThanMs::bigint
    ) as older
  from (
      select definition_version, state from millrace.instances
      where definition_id = @definitionId order by id limit @limit
    ) l,
    json_to_recordset(l.state -> 'open') as o ("stepId" text, "startedAt" bigint)
  group by l.definition_version, o."stepId"
) s on true
order by s.version desc, s.step_id
