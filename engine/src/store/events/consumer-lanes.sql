-- Lanes that are closed by a failed message, and the messages that queue behind it.

-- name: lockLane
select job_id from millrace.consumer_lanes where consumer = @consumer and lane = @lane for update

-- name: insertLane
insert into millrace.consumer_lanes (consumer, lane, job_id) values (@consumer, @lane, @jobId)

-- name: moveLane
update millrace.consumer_lanes set job_id = @jobId where consumer = @consumer and lane = @lane

-- name: deleteLane
delete from millrace.consumer_lanes where consumer = @consumer and lane = @lane

-- name: queueMessage
insert into millrace.queued_messages (consumer, lane, message) values (@consumer, @lane, @message)

-- name: takeQueued
delete from millrace.queued_messages q where q.consumer = @consumer and q.lane = @lane and q.place = (
  select n.place from millrace.queued_messages n where n.consumer = @consumer and n.lane = @lane
  order by n.place limit 1)
returning q.message

-- name: listEndedLanes
select l.lane, l.job_id from millrace.consumer_lanes l
where l.consumer = @consumer and not exists (
  select from millrace.live_jobs_of(l.job_id))
order by l.lane limit @limit
