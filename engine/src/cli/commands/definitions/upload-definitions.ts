// `millrace definitions upload`: files become versions; one that is unchanged stays the version that it is.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { CommandError } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { jsonObject } from "../../options/json-argument.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { readDefinitionFile } from "./read-definition-file.ts"

const drop = () => {}
/** The answer to an upload has its warnings: a line of the log for each would tell them twice. */
const UNHEARD = { debug: drop, info: drop, warn: drop, error: drop }

/** How it was before: undefined where there was none, or where the key may not read it. */
interface Uploaded extends wire.UploadedDefinition {
  readonly before?: number
}

export function addUpload(group: Command, around: Surroundings): void {
  withJson(
    group
      .command("upload <files...>")
      .description("Upload definitions from JSON files, in this order; - is the input."),
  ).action(async (files: readonly string[], options: ShowOptions) => {
    const documents: Record<string, unknown>[] = []
    // All are read before the first is sent: a typing error in the last leaves nothing half done.
    for (const file of files) documents.push(jsonObject(await readDefinitionFile(around, file), cellText(file)))
    const engine = new RemoteEngine(around.env, { logger: UNHEARD })
    const items: Uploaded[] = []
    for (const [at, document] of documents.entries()) items.push(await upload(engine, document, files[at] as string))
    say(around, options, { items }, () => items.flatMap(linesOf))
  })
}

async function upload(engine: RemoteEngine, document: Record<string, unknown>, file: string): Promise<Uploaded> {
  try {
    const before = await versionOf(engine, document.id)
    const uploaded = await engine.call("uploadDefinition", { body: document as never })
    return { ...uploaded, ...(before === undefined ? {} : { before }) }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new CommandError(`${cellText(file)}: ${error.message}`, error.exitCode, error.refusal)
  }
}

/** Only for the words afterwards: a key that may upload need not be allowed to read. */
async function versionOf(engine: RemoteEngine, id: unknown): Promise<number | undefined> {
  if (typeof id !== "string" || !/^[\w.-]+$/.test(id) || /^\.\.?$/.test(id)) return undefined
  const found = await engine
    .callIfFound("listDefinitionVersions", { path: { definitionId: id } })
    .catch(ignoreForbidden)
  return found?.items[0]?.version
}

function ignoreForbidden(error: unknown): undefined {
  if (error instanceof CommandError && error.refusal === "forbidden") return undefined
  throw error
}

function linesOf({ id, version, before, warnings = [] }: Uploaded): readonly string[] {
  const was = before === undefined ? "" : version === before ? ", as before" : ` (it was ${before})`
  return [`${cellText(id)} is version ${version}${was}.`, ...warnings.map((one) => `warning: ${cellText(one)}`)]
}
