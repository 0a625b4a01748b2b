-- What operators have blocked, and the list of all blocks.

-- name: upsertBlock
-- A block that is there already has its author, reason and time changed.
insert into millrace.guard_blocks as b (kind, value, id, reason, blocked_by, blocked_at, blocked_until)
values (@kind, @value, @id, @reason, @actor, @at::timestamptz, @until::timestamptz)
on conflict (kind, value) do update set id = excluded.id, reason = excluded.reason,
  blocked_by = excluded.blocked_by, blocked_at = excluded.blocked_at, blocked_until = excluded.blocked_until

-- name: deleteBlock
delete from millrace.guard_blocks where kind = @kind and value = @value returning value

-- name: findBlock
select kind, value, reason, blocked_by, blocked_at, blocked_until from millrace.guard_blocks
where kind = @kind and value = @value and (blocked_until is null or blocked_until > (select millrace.clock()))

-- name: readBlocks
-- In pages: there may be a million of them.
select kind, value from millrace.guard_blocks
where (kind, value) > (@afterKind, @afterValue)
  and (blocked_until is null or blocked_until > (select millrace.clock()))
order by kind, value limit @limit

-- name: listBlocks, planned anew
-- Newest first.
select id, 'hard' as degree, kind, value, null as rule, reason, blocked_by, blocked_at, blocked_until
from millrace.guard_blocks
where id < @before and (blocked_until is null or blocked_until > (select millrace.clock()))
union all
select id, 'soft', 'subject', subject, rule, reason, blocked_by, blocked_at, blocked_until
from millrace.guard_soft_blocks
where id < @before and blocked_until > (select millrace.clock())
order by id desc limit @limit

-- name: pruneBlocks
-- Attackers can make many soft blocks: only the newest of them are kept.
with hard as (
  delete from millrace.guard_blocks where blocked_until <= (select millrace.clock())
),
soft as (
  delete from millrace.guard_soft_blocks where blocked_until <= (select millrace.clock())
    or id <= (select id from millrace.guard_soft_blocks order by id desc offset @most limit 1)
)
delete from millrace.guard_changes where changed_at <= (select millrace.clock()) - interval '1 day'
