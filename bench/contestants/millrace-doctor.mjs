// A large database at rest, and `millrace doctor` on it: a little of everything is really run, then copied under new ids.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { openPool, settle } from "../postgres/database.mjs"
import { ENGINE } from "./engine-folder.mjs"

const load = (path) => import(new URL(`dist/${path}.js`, ENGINE))

export async function createPatient({ dsn }) {
  const pool = openPool(dsn, 1)
  return {
    settings: {},
    /** Returns how many rows there are then: as many as were asked for, and some. */
    async fill(rows) {
      await runALittle(dsn)
      const { multiplyRows } = await load("test-support/multiply-rows")
      // Beside what it copies a script empties the deltas of the depths, once.
      const perCopy = (await tryOut(pool, multiplyRows(2))) - (await tryOut(pool, multiplyRows(1)))
      await pool.query(multiplyRows(Math.ceil(rows / perCopy)))
      await settle(pool)
      return countRows(pool)
    },
    doctor: () => runToEnd(["doctor"], dsn),
    close: () => pool.end(),
  }
}

async function runALittle(dsn) {
  const [{ loadConfig }, { openCore }, { createLogger }, { fillWithEverything }] = await Promise.all(
    ["config", "core", "support/log", "test-support/grown-database"].map(load),
  )
  const core = await openCore(loadConfig({ env: { WE_POSTGRES_DSN: dsn } }), createLogger({ level: "error" }))
  await fillWithEverything(core.kernel)
  await core.stop()
}

/** How many rows a script adds. */
async function tryOut(pool, script) {
  const before = await countRows(pool)
  await pool.query("begin")
  await pool.query(script)
  const after = await countRows(pool)
  await pool.query("rollback")
  return after - before
}

async function countRows(pool) {
  const { rows } = await pool.query(`select quote_ident(relname) as name from pg_class
    where relnamespace = 'millrace'::regnamespace and relkind in ('r', 'p') and not relispartition`)
  const counts = rows.map(({ name }) => `(select count(*) from millrace.${name})`)
  const { rows: sums } = await pool.query(`select (${counts.join(" + ")})::int as n`)
  return sums[0].n
}

/** `millrace …` on this database, to its end. */
function runToEnd(words, dsn) {
  const cli = fileURLToPath(new URL("dist/cli.js", ENGINE))
  const env = { PATH: process.env.PATH, WE_POSTGRES_DSN: dsn }
  const command = spawn(process.execPath, [cli, ...words], { env, stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  command.stdout.on("data", (chunk) => {
    text += chunk
  })
  return new Promise((resolve) => command.once("exit", (code) => resolve({ code, text })))
}
