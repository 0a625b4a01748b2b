-- What is refused for a while, by a rule or by an operator.

-- name: upsertSoftBlocks
insert into millrace.guard_soft_blocks as b (subject, rule, id, reason, blocked_by, blocked_at, blocked_until)
select x.subject, x.rule, x.id, x.reason, x.actor, x.at::timestamptz, x.until::timestamptz
from @blocks as x (subject text, rule text, id text, reason text, actor text, at text, until text)
order by x.subject, x.rule
on conflict (subject, rule) do update set id = excluded.id, reason = excluded.reason,
  blocked_by = excluded.blocked_by, blocked_at = excluded.blocked_at, blocked_until = excluded.blocked_until

-- name: deleteSoftBlocks
delete from millrace.guard_soft_blocks where subject = @subject
returning rule

-- name: readOperatorBlocks
-- Few: each of them was made by a person, and lasts for minutes.
select subject, rule, reason, blocked_by, blocked_at, blocked_until from millrace.guard_soft_blocks
where blocked_by is not null and blocked_until > (select millrace.clock())
