-- The idempotency key of a job that goes on with the work of an earlier one: the replay of a dead letter, the step of a manual retry. Its
-- handler gives the systems that it calls the same key as before. Null where the job has its own.
alter table millrace.jobs add column effect_key text;
