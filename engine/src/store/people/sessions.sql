-- Sessions of the dashboard: only the digest of what is in the cookie.
-- One is alive while it, and the key or the user it stands for, are.

-- name: insertSession
with gone as (
  delete from millrace.sessions
  where digest = any(@ended::bytea[])
    -- However often one owner signs in, only the sessions used last are kept.
    or digest in (select digest from millrace.sessions where owner = @owner order by seen_at desc offset @others)
)
insert into millrace.sessions (digest, key_id, user_id, token_version, person, created_at, seen_at)
select @digest, @keyId::text, @userId::text, @tokenVersion::integer, @person::jsonb, clock.now, clock.now
from (select millrace.clock() as now) clock

-- name: findSession
select s.owner, s.key_id, s.user_id, k.name as key_name, k.scopes, k.limit_requests, k.limit_window_ms,
  u.username, u.role, s.person,
  s.seen_at < clock.now - interval '1 minute' as stale
from millrace.sessions s
left join millrace.api_keys k
  on k.id = s.key_id and k.revoked_at is null
left join millrace.users u
  on u.id = s.user_id and u.is_active and u.token_version = s.token_version
cross join (select millrace.clock() as now) clock
where s.digest = @digest
  and s.seen_at > clock.now - @idleMs::bigint * interval '1 ms'
  and s.created_at > clock.now - @lifeMs::bigint * interval '1 ms'
  and (k.expires_at is null or k.expires_at > clock.now)
  and num_nonnulls(k.id, u.id, s.person) = 1

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
  or s.key_id is not null and not exists (
    select from millrace.api_keys k
    where k.id = s.key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock.now)
  )
  or s.user_id is not null and not exists (
    select from millrace.users u
    where u.id = s.user_id and u.is_active and u.token_version = s.token_version
  )
