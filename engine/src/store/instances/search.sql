-- Instances by the beginning of what they are called: the key of their run, their business key, their id.

-- name: searchInstances, planned by index
-- Keys are in order within a definition: so many definitions are looked at, each by its first keys. No index of its own
-- is written for it.
with names as materialized (select distinct id from millrace.definitions order by id limit @definitions),
found as (
  (select k.instance_id as id, 'key' as matched, k.key as text, 1 as rank
  from names n
  cross join lateral (
    select key, instance_id from millrace.intake_keys
    where definition_id = n.id and key >= @from and key < @before
    order by key limit @limit
  ) k
  order by k.key limit @limit)
  union all
  (select id, 'businessKey', business_key, 2 from millrace.instances
  where business_key ~>=~ @from and business_key ~<~ @before
  order by business_key using ~<~ limit @limit)
  union all
  (select id, 'businessKey', business_key, 2 from millrace.finished_instances
  where business_key ~>=~ @from and business_key ~<~ @before
  order by business_key using ~<~ limit @limit)
  union all
  (select id, 'id', id, 3 from millrace.instances where id >= @fromId and id < @beforeId order by id limit @limit)
  union all
  (select id, 'id', id, 3 from millrace.finished_instances
  where id >= @fromId and id < @beforeId order by id limit @limit)
)
select f.id, f.matched, f.text, r.definition_id, r.status
from found f
cross join lateral (
  select definition_id, status from millrace.instances where id = f.id
  union all
  select definition_id, status from millrace.finished_instances where id = f.id
  limit 1
) r
order by f.rank, f.text collate "C", f.id desc
limit @limit
