-- Undoing and restarting runs: which steps can be undone, which run has undone a run, and children that are cancelled with theirs.

-- The step has an `undo` in the code of its worker.
alter table millrace.run_steps add column undo boolean not null default false;

-- The order in which steps were recorded: they are undone the other way round, and a clock may step back. The default is set
-- apart from the column, so that the rows there are need not be rewritten: those have none, and are older.
create sequence millrace.run_step_seq;
alter table millrace.run_steps add column seq bigint;
alter table millrace.run_steps alter column seq set default nextval('millrace.run_step_seq');

-- The run that undoes this one, written in the transaction that has ended it. Such a run is not retried: it is restarted.
alter table millrace.finished_instances add column undone_by text;

-- Few instances have a parent; those of a run that is cancelled are found by it.
create index instances_by_parent on millrace.instances (parent_id) where parent_id is not null;

alter table millrace.requests drop constraint requests_verb_check;
alter table millrace.requests add constraint requests_verb_check
  check (verb in ('start', 'signal', 'cancel', 'complete_user_task', 'ending', 'cancel_child'));
