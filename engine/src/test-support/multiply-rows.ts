// A large and healthy database out of a small one, as one script.

/**
 * Copies every row that belongs to an instance or a standalone job, under ids that look and sort like real ones, and counts the
 * queues anew. No engine may run meanwhile.
 */
export const multiplyRows = (copies: number): string => `
do $$
declare
  filled record;
begin
  for filled in
    select c.table_name as name, min(c.column_name) filter (where c.column_name = k.key) as key,
      string_agg(quote_ident(c.column_name), ', ' order by c.ordinal_position) as columns,
      string_agg(case
        when c.column_name in (k.key, 'instance_id')
          then format('overlay(%I placing upper(lpad(to_hex(n), 8, ''0'')) from 11 for 8)', c.column_name)
        when c.column_name in ('business_key', 'key') then format('%I || ''-'' || n', c.column_name)
        when c.column_name = 'nonce' then 'case when nonce is not null then gen_random_uuid() end'
        else quote_ident(c.column_name) end, ', ' order by c.ordinal_position) as copied
    from (values ('instances', 'id'), ('finished_instances', 'id'), ('dead_letters', 'id'), ('chains', 'parent_id'),
      ('job_keys', 'job_id'), ('intake_keys', 'instance_id'), ('business_keys', 'instance_id'), ('jobs', 'instance_id'),
      ('history', 'instance_id'), ('attempts', 'instance_id'), ('audit', 'instance_id'), ('run_steps', 'instance_id'),
      ('signals', 'instance_id'), ('timers', 'instance_id'), ('user_tasks', 'instance_id')) k (name, key)
    join information_schema.columns c on c.table_schema = 'millrace' and c.table_name = k.name
    group by c.table_name
  loop
    -- Definitions have an audit trail too, under ids of another length.
    execute format('insert into millrace.%1$I (%2$s) select %3$s from generate_series(1, ${copies}) n, millrace.%1$I
      where length(%4$s) = 26', filled.name, filled.columns, filled.copied, filled.key);
  end loop;
  delete from millrace.depth_deltas;
  -- A queue without jobs had the deltas that are gone now.
  update millrace.depths set live = 0 where live <> 0;
  insert into millrace.depths (queue_id, live) select queue_id, count(*) from millrace.jobs group by queue_id
  on conflict (queue_id) do update set live = excluded.live;
  update millrace.gates g set live = (
    select coalesce(sum(d.live), 0) from millrace.depths d join millrace.queues q on q.id = d.queue_id
    where q.definition_id = '' and g.name in (q.priority, 'total'));
end $$;`
