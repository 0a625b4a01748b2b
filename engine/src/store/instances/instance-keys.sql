-- What instances are called, for rows that are about something else and name an instance.

-- name: listInstanceKeys, planned by index
select x.id, (select k.key from millrace.intake_keys k where k.instance_id = x.id limit 1) as key,
  r.business_key, r.linking_id
from @instances as x (id text)
left join lateral (
  select business_key, linking_id from millrace.instances where id = x.id
  union all
  select business_key, linking_id from millrace.finished_instances where id = x.id
  limit 1
) r on true
