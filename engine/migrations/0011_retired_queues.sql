-- Queues of job types that are gone: one that has no jobs and no workers is retired, which says that it takes no new jobs
-- before it is asked for again. Long after that it is removed. `retired_in` is the transaction that retired it: as long
-- as an older one is open, it may still bring a job.
alter table millrace.queues add column retired_at timestamptz;
alter table millrace.queues add column retired_in xid8;
