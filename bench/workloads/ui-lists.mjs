// The lists of the dashboard over a long history: pages of instances and of dead letters, at the beginning and a thousand pages deep.
import { expectStatus, getRequest, withCallers } from "../measure/http-load.mjs"
import { percentiles } from "../measure/statistics.mjs"
import { now, until } from "../measure/wait.mjs"

export const sizes = { full: { rows: 1_000_000, deep: 1000, samples: 200 }, quick: { rows: 2000, deep: 5, samples: 5 } }
export const show = ({ worstP95Ms, worst }) => `worst p95 ${worstP95Ms} ms (${worst})`

const PAGE = 50
const LISTS = {
  "all instances": `/v1/instances?pageSize=${PAGE}`,
  "failed instances": `/v1/instances?status=FAILED&pageSize=${PAGE}`,
  "completed instances": `/v1/instances?status=COMPLETED&pageSize=${PAGE}`,
  "instances of a definition": `/v1/instances?definitionId=kept&pageSize=${PAGE}`,
  "failed of a definition": `/v1/instances?definitionId=kept&status=FAILED&pageSize=${PAGE}`,
  "dead letters": `/queues/dlq?limit=${PAGE}&pageSize=${PAGE}`,
}

export async function run({ open, size: { rows, deep, samples } }) {
  const target = await open({ transport: "rest" })
  await makeSeeds(target)
  await fill(target, rows)
  const figures = {}
  await withCallers(target.url, 1, async (caller) => {
    for (const [name, path] of Object.entries(LISTS))
      figures[name] = await measure({ caller, target, path, deep, samples })
  })
  const p95s = Object.entries(figures).flatMap(([name, { first, deep }]) => [
    [`${name}, first page`, first.p95Ms],
    [`${name}, page ${deep.page}`, deep.p95Ms],
  ])
  const [worst, worstP95Ms] = p95s.sort((a, b) => b[1] - a[1])[0]
  return { rows, worst, worstP95Ms, figures }
}

/** One of each kind, really run: a completed instance, a failed one, a dead letter. */
async function makeSeeds(target) {
  const step = { id: "s", name: "S", type: "SERVICE_TASK", jobType: "kept", nextStep: "end" }
  await target.upload({ id: "kept", name: "Kept", steps: [step, { id: "end", name: "End", type: "END" }] })
  const post = async (path, body) => {
    const answer = await fetch(target.url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  }
  for (const end of ["complete", "fail"]) {
    await post("/v1/instances", { definitionId: "kept", variables: { order: 4711, text: "as many have" } })
    const { jobs } = await post("/v1/jobs/poll", { workerId: "w", jobTypes: ["kept"] })
    await post(`/v1/jobs/${jobs[0].id}/${end}`, { workerId: "w", retryable: false, errorMessage: "no such account" })
  }
  await until(async () => !(await target.anyUnfinished()))
}

/** Copies of what is there under new ids, which are as long and as ordered as real ones. */
async function fill(target, rows) {
  await copy(target, {
    table: "finished_instances",
    keys: ["id"],
    where: "status = 'COMPLETED'",
    from: 0,
    n: Math.round(rows * 0.9),
  })
  await copy(target, {
    table: "finished_instances",
    keys: ["id"],
    where: "status = 'FAILED'",
    from: rows,
    n: Math.round(rows * 0.1),
  })
  await copy(target, { table: "dead_letters", keys: ["id", "instance_id"], where: "true", from: 0, n: rows })
  await target.query("vacuum analyze millrace.finished_instances")
  await target.query("vacuum analyze millrace.dead_letters")
}

async function copy(target, { table, keys, where, from, n }) {
  const { rows } = await target.query(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_schema = 'millrace' and table_name = $1 and column_name <> all ($2)`,
    [table, keys],
  )
  const columns = rows.map(({ name }) => name).join(", ")
  await target.query(
    `insert into millrace.${table} (${keys.join(", ")}, ${columns})
     select ${keys.map((key) => `substr(${key}, 1, 10) || upper(lpad(to_hex(${from} + i), 16, '0'))`).join(", ")}, ${columns}
     from (select * from millrace.${table} where ${where} limit 1) seed, generate_series(1, ${n}) i`,
  )
}

async function measure({ caller, target, path, deep, samples }) {
  const { host } = new URL(target.url)
  const ask = async (cursor) => {
    const askedAt = now()
    const answer = await caller.ask(
      getRequest({ host, path: cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path }),
    )
    expectStatus(answer, [200])
    return { ms: now() - askedAt, next: cursorOf(JSON.parse(answer.body)) }
  }
  const repeat = async (cursor) => {
    const times = []
    for (let k = 0; k < samples; k++) times.push((await ask(cursor)).ms)
    return percentiles(times)
  }
  await ask()
  const first = await repeat()
  let cursor
  let page = 1
  for (; page < deep; page++) {
    const { next } = await ask(cursor)
    if (!next) break
    cursor = next
  }
  return { first, deep: { page, ...(await repeat(cursor)) } }
}

const cursorOf = ({ nextCursor, next_cursor }) => nextCursor ?? next_cursor
