-- What failed or was cancelled of one definition, newest first: with the status or the definition alone to go by, a list of the few would
-- have read all of the many. What completes is not in it and pays nothing.
create index finished_instances_unhappy_definition on millrace.finished_instances (definition_id, status, id) where status <> 'COMPLETED';
