// `millrace instances`: list them, look at one and at what it did; start, move on and watch one.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { drawAudit, drawHistory } from "../../drawing/history-picture.ts"
import { drawInstance, drawInstances } from "../../drawing/instance-picture.ts"
import { strangerLine } from "../../drawing/stranger.ts"
import { statusOf } from "../../options/choices.ts"
import { momentOf } from "../../options/moments.ts"
import { positiveWhole } from "../../options/numbers.ts"
import { type LimitOption, readUpTo, withLimit } from "../../options/paging.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, show, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { examples, listCommand } from "../group.ts"
import { addInstanceChanges } from "./change-instance.ts"
import { findInstance, type WhichOptions, withWhich } from "./find-instance.ts"
import { listByKey, listByKeyPrefix, MOST_FOUND } from "./list-by-key.ts"
import { readRun } from "./read-run.ts"
import { addInstanceStart } from "./start-instance.ts"
import { addInstanceWatch } from "./watch-instance.ts"

export function addInstanceCommands(group: Command, around: Surroundings): void {
  addList(group, around)
  addShow(group, around)
  addInstanceWatch(group, around)
  addHistory(group, around)
  addInstanceStart(group, around)
  addInstanceChanges(group, around)
  examples(
    group,
    `  millrace instances --status failed --since 2h    what went wrong
  millrace instances start checkout --variables '{"amount":4200}' --watch
  millrace instances show order-17                 by business key
  millrace instances watch 01JN8Z3V5E8Q2R7W4Y6T9A1B3C
  millrace instances watch cart-9                  by the key of its run
  millrace instances history order-17 --audit
  millrace instances signal order-17 approval --variables @approval.json
  millrace instances cancel order-17 --reason "customer left"
  millrace instances retry order-17`,
  )
}

interface ListOptions extends ShowOptions, LimitOption {
  readonly definition?: string
  readonly version?: number
  readonly status?: wire.InstanceStatus
  readonly key?: string
  readonly keyPrefix?: string
  readonly businessKey?: string
  readonly failure?: string
  readonly since?: string
  readonly before?: string
}

const status = statusOf("ACTIVE", "WAITING", "COMPLETED", "FAILED", "CANCELLED")

function addList(group: Command, around: Surroundings): void {
  withLimit(withShow(listCommand(group, "Instances, newest first.")))
    .option("--definition <id>", "of this definition")
    .option("--version <n>", "of this version of it", positiveWhole)
    .option("--status <status>", status.choices.join(", "), status)
    .option("--key <key>", "with this key of its run, or business key")
    .option("--key-prefix <text>", `whose key or business key begins so; ${MOST_FOUND} at most`)
    .option("--business-key <key>", "with this business key")
    .option("--failure <fingerprint>", "that failed of this error")
    .option("--since <time>", "started after a time, or within 2h")
    .option("--before <time>", "started before a time, or longer ago than 2h")
    .action((options: ListOptions) => {
      const engine = new RemoteEngine(around.env)
      const read = readerOf(engine, options)
      let stranger: readonly string[] = []
      return show(around, options, {
        async read() {
          const page = await read()
          stranger = page.items.length === 0 ? await strangerOf(engine, options.definition) : []
          return page
        },
        draw: (page, canvas) => [...drawInstances(page, canvas), ...stranger],
      })
    })
}

const DEFINITIONS_READ = 200

async function strangerOf(engine: RemoteEngine, definition: string | undefined): Promise<readonly string[]> {
  if (definition === undefined) return []
  const path = { definitionId: definition }
  if ((await engine.callIfFound("getDefinition", { path })) !== undefined) return []
  const { items } = await engine.call("listDefinitions", { query: { pageSize: DEFINITIONS_READ } })
  return strangerLine(
    definition,
    items.map(({ id }) => id),
    `There is no definition ${cellText(definition)}`,
  )
}

function readerOf(engine: RemoteEngine, options: ListOptions): () => Promise<wire.InstancePage> {
  const { key, keyPrefix, businessKey, failure, limit } = options
  const filter = filterOf(options)
  if (key === undefined && keyPrefix === undefined) {
    const query = { ...filter, ...given({ businessKey, failure }) }
    return () => readUpTo(limit, (page) => engine.call("listInstances", { query: { ...query, ...page } }))
  }
  if (businessKey !== undefined || failure !== undefined)
    throw calledWrongly("--key and --key-prefix go without --business-key and --failure")
  if (keyPrefix === undefined) return () => listByKey(engine, { key: key as string, limit, filter })
  if (key !== undefined) throw calledWrongly("say either --key or --key-prefix")
  return () => listByKeyPrefix(engine, { keyPrefix, limit, filter })
}

const filterOf = ({ definition, version, status, since, before }: ListOptions) =>
  given({
    definitionId: definition,
    version,
    status,
    startedAfter: momentOf("--since", since),
    startedBefore: momentOf("--before", before),
  })

const lookingWith = ({ terminal }: Surroundings, { definition }: WhichOptions) => ({
  ...given({ definition }),
  note: (text: string) => void terminal.write(`${text}\n`),
})

function addShow(group: Command, around: Surroundings): void {
  withWhich(
    withShow(
      group
        .command("show <id|key>")
        .description("An instance: where it stands, why it does not move, its variables and steps."),
    ),
  ).action(async (word: string, options: ShowOptions & WhichOptions) => {
    const engine = new RemoteEngine(around.env)
    const id = await findInstance(engine, word, lookingWith(around, options))
    return show(around, options, { read: () => readRun(engine, id), draw: drawInstance })
  })
}

function addHistory(group: Command, around: Surroundings): void {
  withWhich(
    withShow(
      group.command("history <id|key>").description("Its steps in order, with every try, worker, error and output."),
    ),
  )
    .option("--audit", "the audit trail instead: what was done to it, when and by whom")
    .action(async (word: string, options: ShowOptions & WhichOptions & { readonly audit?: boolean }) => {
      const engine = new RemoteEngine(around.env)
      const path = { instanceId: await findInstance(engine, word, lookingWith(around, options)) }
      if (options.audit)
        return show(around, options, { read: () => engine.call("getInstanceAudit", { path }), draw: drawAudit })
      return show(around, options, { read: () => engine.call("getInstanceSteps", { path }), draw: drawHistory })
    })
}
