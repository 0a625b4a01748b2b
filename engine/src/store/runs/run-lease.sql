-- The lease of a run, checked under the run's lock in the transaction of its step.

-- name: lockRun
select from millrace.instances where id = @instanceId for update

-- name: shareRun
-- What ends the run waits for it; other children of the run do not.
select from millrace.instances where id = @instanceId for share

-- name: lockRunJobs
select from millrace.jobs where instance_id = @instanceId for update

-- name: findLease
select from millrace.jobs
where instance_id = @instanceId and execution = @execution and status = 'leased' and epoch = @epoch and nonce = @nonce
