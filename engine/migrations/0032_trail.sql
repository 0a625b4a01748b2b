-- What one transaction says about an instance is one row of its trail: the row has the first entry, and those that follow it in `more`.
-- Rows of before have one entry each.
alter table millrace.audit add column more json;

create function millrace.trail_entries(seq integer, actor text, kind text, detail json, more json)
returns table (seq integer, actor text, kind text, detail json) language sql immutable as $$
  select $1, $2, $3, $4
  union all
  select $1 + m.place::integer, m.entry ->> 'actor', m.entry ->> 'kind', m.entry -> 'detail'
  from json_array_elements($5) with ordinality as m (entry, place)
$$;

-- The trail entry by entry.
create view millrace.trail as
select a.instance_id, e.seq, a.at, e.actor, e.kind, e.detail
from millrace.audit a cross join lateral millrace.trail_entries(a.seq, a.actor, a.kind, a.detail, a.more) e;

-- A row is written anew at every step, and stays on its page, without new entries in its indexes, where the page has room for both:
-- with 70 a third of the updates found none.
alter table millrace.instances set (fillfactor = 50);
