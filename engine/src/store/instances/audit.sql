-- The audit trail: append-only, gapless per instance. A row has what one transaction says about an instance: the first
-- entry, and in `more` those that follow it. millrace.trail shows it entry by entry.

-- name: insertAudit
insert into millrace.audit (instance_id, seq, at, actor, kind, detail, more)
select * from @records as x (
  instance_id text, seq integer, at timestamptz, actor text, kind text, detail json, more json
)

-- name: listAudit
-- From the row that the last page has ended in, which may have more.
select e.seq, a.at, e.actor, e.kind, e.detail
from (
  select * from millrace.audit
  where instance_id = @instanceId and seq >= coalesce(
    (select max(b.seq) from millrace.audit b where b.instance_id = @instanceId and b.seq <= @afterSeq), 0
  )
  order by seq
  limit @limit + 1
) a
cross join lateral millrace.trail_entries(a.seq, a.actor, a.kind, a.detail, a.more) e
where e.seq > @afterSeq
order by e.seq
limit @limit
