-- What the guard has noted: requests by verdict, and what shadow mode would have refused.

-- name: addNotes
-- Nothing is decided by these: the commit does not wait for the disk. All processes write in the same order.
with t as (select millrace.clock() as now, set_config('synchronous_commit', 'off', true) as relaxed),
shadowed as (
  insert into millrace.guard_shadow_events as e
    (id, hour, rule, client, path, times, last_at, last_request_id, last_reason)
  select x.id, date_trunc('hour', t.now), x.rule, x.client, x.path, x.times, t.now, x.request_id, x.reason
  from @events as x (id text, rule text, client text, path text, times bigint, request_id text, reason text), t
  order by x.rule, x.client, x.path
  on conflict (hour, rule, client, path) do update set times = e.times + excluded.times,
    last_at = excluded.last_at, last_request_id = excluded.last_request_id, last_reason = excluded.last_reason
)
insert into millrace.guard_traffic as g (at, allowed, throttled, soft_blocked, hard_blocked, shadowed)
select to_timestamp(floor(extract(epoch from t.now) / 10) * 10), @allowed::bigint, @throttled::bigint,
  @softBlocked::bigint, @hardBlocked::bigint, @shadowed::bigint from t
on conflict (at) do update set allowed = g.allowed + excluded.allowed, throttled = g.throttled + excluded.throttled,
  soft_blocked = g.soft_blocked + excluded.soft_blocked, hard_blocked = g.hard_blocked + excluded.hard_blocked,
  shadowed = g.shadowed + excluded.shadowed

-- name: countShadowed
select rule, sum(times)::bigint as times from millrace.guard_shadow_events
where hour > (select millrace.clock()) - interval '24 hours' group by rule order by rule

-- name: listShadowed, planned anew
select id, hour, rule, client, path, times, last_at, last_request_id, last_reason from millrace.guard_shadow_events
where id < @before and hour > (select millrace.clock()) - interval '24 hours'
  and (@rule::text is null or rule = @rule) and (@client::text is null or client = @client)
order by id desc limit @limit

-- name: readTraffic
select at, allowed, throttled, soft_blocked, hard_blocked, shadowed from millrace.guard_traffic
where at >= (select millrace.clock()) - @windowSeconds::integer * interval '1 s' order by at

-- name: pruneNotes
-- Bounded in number too: of too many the oldest go.
with shadowed as (
  delete from millrace.guard_shadow_events
  where hour <= (select millrace.clock()) - interval '24 hours'
    or id <= (select id from millrace.guard_shadow_events order by id desc offset @most limit 1)
)
delete from millrace.guard_traffic where at <= (select millrace.clock()) - interval '24 hours'
