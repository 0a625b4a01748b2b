-- API keys: only the digest of the secret is stored.

-- name: insertApiKey
insert into millrace.api_keys
  (id, name, digest, scopes, created_at, expires_at, limit_requests, limit_window_ms)
values (@id, @name, @digest, @scopes::text[], (select millrace.clock()), @expiresAt::timestamptz,
  @limitRequests, @limitWindowMs)
returning id, name, scopes, created_at, expires_at, revoked_at, last_used_at, limit_requests, limit_window_ms

-- name: findApiKey
select id, name, digest, scopes, created_at, expires_at, revoked_at, last_used_at, limit_requests, limit_window_ms,
  revoked_at is null and (expires_at is null or expires_at > (select millrace.clock())) as usable
from millrace.api_keys where id = @id

-- name: listApiKeys
select id, name, scopes, created_at, expires_at, revoked_at, last_used_at, limit_requests, limit_window_ms
from millrace.api_keys order by created_at, id

-- name: revokeApiKey
update millrace.api_keys set revoked_at = coalesce(revoked_at, (select millrace.clock())) where id = @id returning id

-- name: touchApiKey
update millrace.api_keys set last_used_at = (select millrace.clock())
where id = @id and (last_used_at is null or last_used_at < (select millrace.clock()) - interval '1 minute')
