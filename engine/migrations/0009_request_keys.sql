-- A request's key keeps the outcome of the request, which every transport says in its own words. Before, it kept the
-- answer as HTTP has it. Nothing is rewritten: rows of the old form have a status, and are read until they expire.
alter table millrace.idempotency_keys rename to request_keys;
alter table millrace.request_keys rename constraint idempotency_keys_pkey to request_keys_pkey;
alter index millrace.idempotency_keys_age rename to request_keys_age;
alter table millrace.request_keys rename column answer to outcome;
alter table millrace.request_keys alter column status drop not null;

-- What a process of the version before sees. It still meets every key when it inserts one, but of a row of the new form
-- it finds no answer: it then tells its caller to come back, and does nothing.
create view millrace.idempotency_keys as
  select scope, key, digest, status, outcome as answer, created_at from millrace.request_keys where status is not null;
