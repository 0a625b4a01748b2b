-- Users: of a password only the hash is stored.

-- name: insertUser
insert into millrace.users (id, username, email, hashed_password, role, created_at)
values (@id, @username, @email, @hashedPassword, @role, (select millrace.clock()))
on conflict do nothing
returning id, username, email, is_active, role, token_version, created_at, signed_in_at

-- name: findUserByName
select id, username, email, is_active, role, token_version, created_at, signed_in_at, hashed_password
from millrace.users where lower(username) = lower(@username)

-- name: listUsers
select id, username, email, is_active, role, token_version, created_at, signed_in_at
from millrace.users order by lower(username)

-- name: noteSignIn
update millrace.users set signed_in_at = (select millrace.clock()) where id = @id and is_active
returning id, username, email, is_active, role, token_version, created_at, signed_in_at

-- name: promoteUser
update millrace.users set role = 'ADMIN' where lower(username) = lower(@username) returning id

-- name: demoteUser
update millrace.users
set role = 'USER', token_version = token_version + 1, revoked_at = (select millrace.clock())
where lower(username) = lower(@username) returning id

-- name: disableUser
update millrace.users
set is_active = false, token_version = token_version + 1, revoked_at = (select millrace.clock())
where lower(username) = lower(@username) returning id

-- name: enableUser
update millrace.users set is_active = true where lower(username) = lower(@username) returning id

-- name: changePassword
-- With a version that was verified, only while it is the user's: what an operator has set meanwhile stays.
update millrace.users
set hashed_password = @hashedPassword, token_version = token_version + 1, revoked_at = (select millrace.clock())
where lower(username) = lower(@username) and (@verified::integer is null or token_version = @verified)
returning id

-- name: improveHash
-- Replaces the hash of the password that was just verified. A password that was changed meanwhile stays.
update millrace.users set hashed_password = @hashedPassword where id = @id and hashed_password = @verified

-- name: listRevoked
select id, token_version from millrace.users
where revoked_at > (select millrace.clock()) - interval '2 hours'
