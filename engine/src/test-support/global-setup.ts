// One real PostgreSQL for the whole test run, with a migrated template that each test file clones; and an end for the brokers of Kafka
// that its files have shared.
import { execFileSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { Database } from "../db/database.ts"
import { startEmbedded } from "../db/embedded.ts"
import { migrate } from "../db/migrate.ts"
import { createWeeks } from "../operations/upkeep/keep-house.ts"
import { createBareKernel } from "./bare-kernel.ts"
import { makeServerFolder } from "./memory-folder.ts"
import { rememberSocket } from "./nearest-door.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The connection string of the server's maintenance database. */
    readonly serverDsn: string
  }
}

const TEMPLATE = "millrace_template"
const KAFKA = fileURLToPath(new URL("../../../tools/kafka.sh", import.meta.url))

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = makeServerFolder("millrace-test-")
  // No test pulls the plug of the machine: without fsync the run takes a third of the time.
  const server = await startEmbedded({
    dataDir,
    settings: { fsync: "off", full_page_writes: "off", max_connections: "200" },
  })
  // Brokers are started by the first files that need them.
  const brokers = join(dataDir, "brokers")
  process.env.MILLRACE_TEST_BROKERS = brokers
  const teardown = async () => {
    await server.stop()
    if (existsSync(brokers)) execFileSync(KAFKA, ["drain", "--dir", brokers])
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    await easeLogin(server.tcpDsn)
    await createTemplate(server.tcpDsn)
    await makeWeeks(server.tcpDsn)
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide("serverDsn", server.tcpDsn)
  rememberSocket(server.dsn)
  return teardown
}

/** The files of a run open thousands of connections, and each proves that it knows the password: with one round of hashing, not 4,096. */
async function easeLogin(dsn: string): Promise<void> {
  const admin = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  await admin.script(`set scram_iterations = 1; alter role current_user password '${new URL(dsn).password}'`)
  await admin.close()
}

/** Makes the partitions of the present weeks, which the first process on each clone would make otherwise. */
async function makeWeeks(dsn: string): Promise<void> {
  const kernel = await createBareKernel(withDatabase(dsn, TEMPLATE), 1)
  await createWeeks(kernel)
  await kernel.db.close()
}

/** `more` is run in it last. */
export async function createTemplate(dsn: string, more = ""): Promise<void> {
  const admin = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  await admin.script(`create database ${TEMPLATE}`)
  await admin.close()
  const template = new Database({ dsn: withDatabase(dsn, TEMPLATE), schema: "millrace", maxConnections: 1 })
  await migrate(template)
  await template.script(GUARDS + more)
  await template.close()
}

/** Copies the files of the template: faster than through the log of the server where nothing waits for a disk. */
export const cloneOfTemplate = (name: string): string =>
  `create database ${name} template ${TEMPLATE} strategy file_copy`

export function withDatabase(dsn: string, name: string): string {
  const url = new URL(dsn)
  url.pathname = `/${name}`
  return url.toString()
}

/** Only in tests: the database itself refuses what must never happen, and its clock can be moved and stopped. */
const GUARDS = `
  create table millrace.test_clock (offset_ms bigint not null, stopped_at timestamptz);
  insert into millrace.test_clock values (0);
  create or replace function millrace.clock() returns timestamptz language sql volatile as
    'select coalesce(stopped_at, clock_timestamp()) + offset_ms * interval ''1 ms'' from millrace.test_clock';
  create function millrace.refuse() returns trigger language plpgsql as $$
    begin raise exception 'refused by the test guards: % on %', tg_op, tg_table_name; end $$;
  create trigger audit_is_append_only before update on millrace.audit for each row execute function millrace.refuse();
  create trigger history_is_append_only before update or delete on millrace.history for each row execute function millrace.refuse();
  create trigger terminal_is_final before update on millrace.finished_instances for each row
    when (old.status is distinct from new.status) execute function millrace.refuse();
`
