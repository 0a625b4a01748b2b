-- Consumers that process an event once: what each group has taken, and the messages whose handler has failed.

-- The first insert of the transaction in which a handler works: a second holder of the same event waits for it and
-- skips.
create table millrace.processed_events (
  event_id text collate "C" not null,
  consumer_group text collate "C" not null,
  processed_at timestamptz not null,
  primary key (event_id, consumer_group)
);
create index processed_events_age on millrace.processed_events (processed_at);

-- A message that has failed is a job; while there is one, later messages of its lane queue behind it. A lane is a key
-- of a consumer, or one message that has no key. The consumer is named as the type of its jobs is.
create table millrace.consumer_lanes (
  consumer text collate "C" not null,
  lane text collate "C" not null,
  job_id text collate "C" not null,
  primary key (consumer, lane)
);

create table millrace.queued_messages (
  consumer text collate "C" not null,
  lane text collate "C" not null,
  place bigint generated always as identity,
  message json not null,
  primary key (consumer, lane, place)
);
