-- The audit trail: append-only, gapless per instance.

-- name: insertAudit
insert into millrace.audit (instance_id, seq, at, actor, kind, detail)
select * from @records as x (instance_id text, seq integer, at timestamptz, actor text, kind text, detail json)

-- name: listAudit
select seq, at, actor, kind, detail
from millrace.audit
where instance_id = @instanceId and seq > @afterSeq
order by seq
limit @limit
