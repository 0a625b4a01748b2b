-- What instances are called, for rows that are about something else and name an instance.

-- name: listInstanceKeys, planned by index
select x.id, (select k.key from millrace.intake_keys k where k.instance_id = x.id limit 1) as key,
  coalesce(
    (select i.business_key from millrace.instances i where i.id = x.id),
    (select f.business_key from millrace.finished_instances f where f.id = x.id)
  ) as business_key
from @instances as x (id text)
