-- The audit trail: append-only, gapless per instance.

-- name: insertAudit
insert into millrace.audit (instance_id, seq, at, actor, kind, detail)
select * from unnest($1::text[], $2::integer[], $3::timestamptz[], $4::text[], $5::text[], $6::json[])

-- name: listAudit
select seq, at, actor, kind, detail from millrace.audit where instance_id = $1 and seq > $2 order by seq limit $3
