// `millrace definitions`: what is stored, uploading, and looking at a file before it is.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { drawDefinition, drawDefinitions, drawVersions } from "../../drawing/definition-picture.ts"
import { positiveWhole } from "../../options/numbers.ts"
import { type LimitOption, withLimit } from "../../options/paging.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, show, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { examples, listCommand } from "../group.ts"
import { addCheck } from "./check-definitions.ts"
import { addDiff } from "./diff-definitions.ts"
import { getVersion } from "./get-version.ts"
import { addUpload } from "./upload-definitions.ts"

export function addDefinitionCommands(group: Command, around: Surroundings): void {
  addList(group, around)
  addShow(group, around)
  addUpload(group, around)
  addCheck(group, around)
  addDiff(group, around)
  examples(
    group,
    `  millrace definitions --keyword loan
  millrace definitions show loan --version 2
  millrace definitions versions loan
  millrace definitions check flows/*.json          needs no engine
  millrace definitions diff flows/loan.json        against what is stored
  millrace definitions diff loan --from 1 --to 3   two versions
  millrace definitions upload flows/loan.json`,
  )
}

type ListOptions = ShowOptions & LimitOption & { readonly keyword?: string }

function addList(group: Command, around: Surroundings): void {
  withLimit(withShow(listCommand(group, "Definitions in their latest versions.")), 100)
    .option("--keyword <text>", "with this in the id or the name")
    .action(({ keyword, limit, ...options }: ListOptions) => {
      const engine = new RemoteEngine(around.env)
      return show(around, options, { read: () => readDefinitions(engine, { keyword, limit }), draw: drawDefinitions })
    })
}

const PAGE = 200

/** This list has pages by number: the last may be read to its end only, so what is over the limit is cut off. */
async function readDefinitions(
  engine: RemoteEngine,
  { keyword, limit }: { readonly keyword: string | undefined; readonly limit: number },
): Promise<wire.DefinitionPage> {
  const query = { ...given({ keyword }), pageSize: Math.min(limit, PAGE) }
  let page = await engine.call("listDefinitions", { query })
  let items = page.items
  while (items.length < Math.min(limit, page.total) && page.items.length > 0) {
    page = await engine.call("listDefinitions", { query: { ...query, page: page.page + 1 } })
    items = [...items, ...page.items]
  }
  return { ...page, items: items.slice(0, limit), page: 0, pageSize: limit }
}

function addShow(group: Command, around: Surroundings): void {
  withShow(group.command("show <id>").description("A definition and its steps; with --json the whole document."))
    .option("--version <n>", "this version (default: the latest)", positiveWhole)
    .action((definitionId: string, { version, ...options }: ShowOptions & { readonly version?: number }) => {
      const engine = new RemoteEngine(around.env)
      return show(around, options, { read: () => getVersion(engine, definitionId, version), draw: drawDefinition })
    })
  withShow(
    group.command("versions <id>").description("Its versions, newest first: when, and uploaded by whom."),
  ).action((definitionId: string, options: ShowOptions) => {
    const engine = new RemoteEngine(around.env)
    const read = () => engine.call("listDefinitionVersions", { path: { definitionId } })
    return show(around, options, { read, draw: drawVersions })
  })
}
