-- Workers that were seen asking for work. They are written with the counter series, by addToSeries.

-- name: pruneSightings
delete from millrace.worker_sightings where last_seen_at < (select millrace.clock()) - interval '1 hour'
