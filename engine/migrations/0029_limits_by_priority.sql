-- Held jobs of one limit key are let go by the weights of their priorities, as claims are; they went in the order they came, whatever
-- their priority.

-- As `limits.key` is: compared with another collation, the index was not used, and every place that came free read all limited jobs.
alter table millrace.jobs alter column limit_key type text collate "C";

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
  -- In key order, and last in its transaction: two of them never wait for each other crosswise.
  perform from millrace.limits l where l.key = any(keys) order by l.key for update;
  return query
  update millrace.jobs j
  set status = 'ready', seq = nextval('millrace.job_seq'), held_reason = null
  from (
    select f.instance_id, f.execution
    from millrace.limits l
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
    where l.key = any(keys) and room.places > 0
  ) freed
  where j.instance_id = freed.instance_id and j.execution = freed.execution
  returning j.queue_id;
end $$;
