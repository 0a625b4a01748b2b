-- The lease of a run, checked under the run's lock in the transaction of its step.

-- name: lockRun
select from millrace.instances where id = @instanceId for update

-- name: findLease
select from millrace.jobs
where instance_id = @instanceId and execution = @execution and status = 'leased' and epoch = @epoch and nonce = @nonce
