-- Settings of one transaction.

-- name: setLockTimeout
select set_config('lock_timeout', @lockTimeout, true)
