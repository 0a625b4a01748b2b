// Connections, and one fresh database per run.
import pg from "pg"

export async function connect(dsn) {
  const client = new pg.Client({ connectionString: dsn })
  await client.connect()
  return client
}

export function openPool(dsn, max) {
  const pool = new pg.Pool({ connectionString: dsn, max })
  pool.on("error", () => {}) // the database is dropped under idle connections at the end of a run
  return pool
}

/** A checkpoint first, so that one run does not pay for the pages the previous one dirtied. */
export async function createDatabase(adminDsn, name) {
  await asAdmin(adminDsn, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
    await client.query("checkpoint")
  })
}

export async function dropDatabase(adminDsn, name) {
  await asAdmin(adminDsn, (client) => client.query(`drop database if exists ${name} with (force)`))
}

export async function asAdmin(adminDsn, work) {
  const client = await connect(adminDsn)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Whether the query has a row: counting them all would be part of what is measured. */
export async function exists(pool, query, values) {
  const { rows } = await pool.query(`select exists (${query}) as found`, values)
  return rows[0].found
}

/** After filling: what was written is behind, statistics and checkpoint included, so that only what follows is measured. */
export async function settle(pool) {
  await pool.query("vacuum analyze")
  await pool.query("checkpoint")
}
