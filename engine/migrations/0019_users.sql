-- People who sign in with a name and a password, and sessions of the dashboard that stand for one of them.
create table millrace.users (
  id text primary key,
  username text not null check (length(username) between 1 and 50),
  email text not null check (length(email) <= 254),
  hashed_password text not null,
  is_active boolean not null default true,
  role text not null default 'USER' check (role in ('USER', 'ADMIN')),
  -- Rises when the tokens and sessions of a user must end: each of them says which version it was made for.
  token_version integer not null default 1,
  -- When it last rose. Older than the longest life of a token, it concerns no token any more.
  revoked_at timestamptz,
  created_at timestamptz not null,
  signed_in_at timestamptz
);
-- Ada and ada are one name: a second one could pass for the first.
create unique index users_username on millrace.users (lower(username));
create unique index users_email on millrace.users (lower(email));
create index users_revoked on millrace.users (revoked_at) where revoked_at is not null;

-- A session stands for a key, for a user, or for a person whom the provider of OpenID Connect has vouched for.
alter table millrace.sessions
  alter column key_id drop not null,
  add column user_id text,
  add column token_version integer,
  -- Of a person: {"id", "name", "scopes"} as the provider's groups gave them at the sign-in.
  add column person jsonb,
  add column owner text generated always as
    (coalesce('key:' || key_id, 'user:' || user_id, 'oidc:' || (person ->> 'id'))) stored,
  add constraint sessions_one_owner check (num_nonnulls(key_id, user_id, person) = 1);
create index sessions_owner on millrace.sessions (owner, seen_at);
drop index millrace.sessions_key;
