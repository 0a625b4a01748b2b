// Fills a table with n copies of its one finished row under new keys: a long history in seconds.
export async function cloneFinishedRow(pool, { schema, table, key, where, n }) {
  const { rows } = await pool.query(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_schema = $1 and table_name = $2 and is_generated = 'NEVER' and column_name <> $3`,
    [schema, table, key],
  )
  const columns = rows.map((row) => row.name).join(", ")
  await pool.query(
    `insert into ${schema}.${table} (${key}, ${columns})
     select gen_random_uuid(), ${columns} from ${schema}.${table}, generate_series(1, ${n}) where ${where}`,
  )
}
