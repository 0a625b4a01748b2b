-- Sessions of the dashboard: what a browser holds in place of an API key. A session is never worth more than its key.
create table millrace.sessions (
  -- SHA-256 of the id in the cookie: whoever reads this table can sign in with nothing.
  digest bytea primary key,
  key_id text not null,
  created_at timestamptz not null,
  -- Written at most once a minute.
  seen_at timestamptz not null
);
create index sessions_key on millrace.sessions (key_id, seen_at);
