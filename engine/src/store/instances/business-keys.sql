-- Business keys: each belongs to one unfinished instance of its definition.

-- name: insertBusinessKeys
insert into millrace.business_keys (definition_id, business_key, instance_id)
select k.definition_id, k.business_key, k.instance_id
from @keys as k (definition_id text, business_key text, instance_id text)
order by 1, 2
on conflict do nothing
returning instance_id

-- name: findBusinessKeyHolders
select b.definition_id, b.business_key, b.instance_id
from @keys as k (definition_id text, business_key text)
join millrace.business_keys b on b.definition_id = k.definition_id and b.business_key = k.business_key

-- name: deleteBusinessKeys
delete from millrace.business_keys b
using @keys as k (definition_id text, business_key text, instance_id text)
where b.definition_id = k.definition_id and b.business_key = k.business_key and b.instance_id = k.instance_id
