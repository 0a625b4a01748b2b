-- What the page of a run shows beside outcomes: stacks of errors, when the step of an attempt began, which steps a list that
-- starts anew has called, and of a recorded call what kind of wait it was, its branch and its child. Null where the worker
-- has not said it.
alter table millrace.attempts add column detail json;
alter table millrace.history add column detail json;
alter table millrace.run_steps add column detail json;

-- Business keys are found by their beginning as well: by bytes, whatever the language of the database. Equality is served
-- as before.
drop index millrace.instances_business_key;
create index instances_business_key on millrace.instances (business_key text_pattern_ops, id)
where business_key is not null;
drop index millrace.finished_instances_business_key;
create index finished_instances_business_key on millrace.finished_instances (business_key text_pattern_ops, id)
where business_key is not null;
