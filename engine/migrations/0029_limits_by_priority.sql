-- Held jobs of one limit key are let go by the weights of their priorities, as claims are; they went in the order they came, whatever
-- their priority.

-- `limits.key` has the collation "C", and `jobs.limit_key` the default one. What compares them says which one it goes by: without that no
-- index was used, and every place that came free read all limited jobs. The column stays as it is, because a process of the version before
-- has prepared statements that return it.

-- Those that wait for room. Without it they may be looked for among all held jobs.
create index jobs_awaiting_room on millrace.jobs (limit_key, queue_id, seq)
  where status = 'held' and visible_at is null and limit_key is not null;

drop function millrace.fill_limits(text[]);

-- Lets go as many held jobs of each key as its limit has room for. Whoever frees room calls it; calling it once more is harmless.
-- `weights` and `draws` are those of critical, high and normal. Each draw is a number above 0 and up to 1: for a single place the
-- priority is drawn by weight, several places are dealt by weight, and within a priority the oldest goes first. A priority without weight
-- has what the others leave. Nothing has to be remembered. A process of the version before calls it with the keys alone.
create function millrace.fill_limits(
  keys text[],
  weights float8[] default '{60,30,10}',
  draws float8[] default array[1 - random(), 1 - random(), 1 - random()]
) returns table (queue_id integer) language plpgsql as $$
begin
  -- Two fills of one key follow each other, in an order that is the same for all. The rows of the limits are not locked: an open transaction
  -- of a caller that has set a limit would hold up the fills, and with them the leader that makes them.
  perform pg_advisory_xact_lock(x.lock) from (
    select distinct hashtextextended('millrace.limits ' || k, 0) as lock from unnest(keys) k order by 1
  ) x;
  return query
  update millrace.jobs j
  set status = 'ready', seq = nextval('millrace.job_seq'), held_reason = null
  from (
    select f.instance_id, f.execution
    from (select key collate "default" as key, max from millrace.limits where key = any(keys)) l
    cross join lateral (
      select l.max - count(*) as places from millrace.jobs a where a.limit_key = l.key and a.status in ('ready', 'leased')
    ) room
    cross join lateral (
      select h.instance_id, h.execution
      from (
        select o.*, row_number() over (partition by o.rank order by o.seq) - 1 as before
        from (
          -- From queue to queue of the key: a million held jobs of one queue are one step.
          with recursive waiting (id) as (
            (
              select w.queue_id from millrace.jobs w
              where w.limit_key = l.key and w.status = 'held' and w.visible_at is null order by w.queue_id limit 1
            )
            union all
            select (
              select w.queue_id from millrace.jobs w
              where w.limit_key = l.key and w.status = 'held' and w.visible_at is null and w.queue_id > v.id
              order by w.queue_id limit 1
            )
            from waiting v where v.id is not null
          )
          select first.*, array_position('{critical,high,normal}', q.priority) as rank
          from waiting
          join millrace.queues q on q.id = waiting.id
          cross join lateral (
            select c.instance_id, c.execution, c.seq from millrace.jobs c
            where c.limit_key = l.key and c.status = 'held' and c.queue_id = waiting.id and c.visible_at is null
            order by c.seq
            limit room.places
            for update skip locked
          ) first
        ) o
      ) h
      order by weights[h.rank] = 0, (h.before - ln(draws[h.rank])) / coalesce(nullif(weights[h.rank], 0), 1), h.seq
      limit room.places
    ) f
    where room.places > 0
  ) freed
  where j.instance_id = freed.instance_id and j.execution = freed.execution
  returning j.queue_id;
end $$;
