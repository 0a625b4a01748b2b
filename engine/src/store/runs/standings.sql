-- Where live runs of lists and functions stand.

-- name: listStandings, planned by index
-- Without what the steps returned: of each run so many steps are looked at, and no more.
select x.id as instance_id, s.name, s.is_done, s.is_waiting, s.went_to, s.list_version,
  j.status as job, j.step as failed_at
from @runs as x (id text)
left join lateral (
  select j.status, (select a.step from millrace.attempts a
    where a.instance_id = j.instance_id and a.execution = j.execution
    order by a.epoch desc limit 1) as step
  from millrace.jobs j where j.instance_id = x.id order by j.execution limit 1
) j on true
left join lateral (
  select r.name, r.seq, r.list_version, r.status <> 'WAITING' as is_done,
    r.status = 'WAITING' and (r.value -> 'until') is not null as is_waiting,
    case r.status when 'FAILED' then r.value ->> 'goTo' end as went_to
  from millrace.run_steps r where r.instance_id = x.id
  limit @lookAt
) s on true
order by x.id, s.seq nulls first, s.name
