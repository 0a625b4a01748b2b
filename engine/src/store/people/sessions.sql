-- Sessions of the dashboard: only the digest of what is in the cookie.
-- One is alive while it, and the key it stands for, are.

-- name: insertSession
with gone as (
  delete from millrace.sessions
  where digest = any(@ended::bytea[])
    -- However often one key signs in, only the sessions used last are kept.
    or digest in (select digest from millrace.sessions where key_id = @keyId order by seen_at desc offset @others)
)
insert into millrace.sessions (digest, key_id, created_at, seen_at)
select @digest, @keyId, clock.now, clock.now from (select millrace.clock() as now) clock

-- name: findSession
select k.id, k.name, k.scopes, s.seen_at < clock.now - interval '1 minute' as stale
from millrace.sessions s
join millrace.api_keys k on k.id = s.key_id
cross join (select millrace.clock() as now) clock
where s.digest = @digest
  and s.seen_at > clock.now - @idleMs::bigint * interval '1 ms'
  and s.created_at > clock.now - @lifeMs::bigint * interval '1 ms'
  and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock.now)

-- name: getSessionSecret
select secret from millrace.secrets where name = 'sessions'

-- name: touchSession
update millrace.sessions set seen_at = (select millrace.clock())
where digest = @digest and seen_at < (select millrace.clock()) - interval '1 minute'

-- name: deleteSessions
delete from millrace.sessions where digest = any(@digests::bytea[])

-- name: pruneSessions
delete from millrace.sessions s
using (select millrace.clock() as now) clock
where s.seen_at <= clock.now - @idleMs::bigint * interval '1 ms'
  or s.created_at <= clock.now - @lifeMs::bigint * interval '1 ms'
  or not exists (
    select from millrace.api_keys k
    where k.id = s.key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock.now)
  )
