-- What became of a dead letter is found by the id of its standalone job, too: that id is in its caller's hands.
create index changes_dead_job on millrace.changes ((detail ->> 'of'))
where kind in ('dead-letter-replayed', 'dead-letter-discarded') and detail ->> 'of' is not null;
