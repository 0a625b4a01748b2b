-- The guard: what operators have blocked and pardoned, what it refused by itself, and what shadow mode would have refused.

-- A limit of a key's own: at most so many calls in any interval of this length.
alter table millrace.api_keys
  add column limit_requests integer check (limit_requests > 0),
  add column limit_window_ms integer check (limit_window_ms > 0),
  add constraint api_keys_limit check ((limit_requests is null) = (limit_window_ms is null));

-- One row, locked by every change of the guard: their versions are in the order of their commits.
create table millrace.guard_state (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0,
  -- {"all": true, "rules": {"rate": true}} as operators have set it at run time; null is as configured.
  shadow json,
  shadow_by text,
  shadow_at timestamptz
);
insert into millrace.guard_state default values;

-- What operators have blocked: refused until it is lifted or its time is over. Filters in memory are made of it.
create table millrace.guard_blocks (
  kind text not null check (kind in ('address', 'agent')),
  -- An address as the guard counts it, IPv6 by its /64; or a user agent.
  value text not null,
  id text not null unique,
  reason text not null,
  blocked_by text not null,
  blocked_at timestamptz not null,
  blocked_until timestamptz,
  primary key (kind, value)
);

-- Refused for a while, by a rule or by an operator. Those of rules are for lists only: what decides is the rule's own counter.
create table millrace.guard_soft_blocks (
  subject text not null,
  rule text not null,
  id text not null unique,
  reason text not null,
  -- Null where the rule itself has done it.
  blocked_by text,
  blocked_at timestamptz not null,
  blocked_until timestamptz not null,
  primary key (subject, rule)
);

-- What operators did, for processes that have it in memory: each reads what came after the version that it knows.
create table millrace.guard_changes (
  version bigint primary key,
  act text not null check (act in ('block', 'unblock', 'soft-block', 'pardon', 'shadow')),
  -- Of a block: whether address or agent.
  kind text,
  -- What was blocked or lifted; of a pardon the subject; of shadow mode the rule.
  value text not null,
  changed_at timestamptz not null
);

-- What would have been refused: one row for each hour, rule, client and path.
create table millrace.guard_shadow_events (
  id text not null unique,
  hour timestamptz not null,
  rule text not null,
  client text not null,
  path text not null,
  times bigint not null,
  last_at timestamptz not null,
  last_request_id text not null,
  last_reason text not null,
  primary key (hour, rule, client, path)
);

-- How many requests got which verdict, ten seconds a row, of all processes together.
create table millrace.guard_traffic (
  at timestamptz primary key,
  allowed bigint not null,
  throttled bigint not null,
  soft_blocked bigint not null,
  hard_blocked bigint not null,
  shadowed bigint not null
);
