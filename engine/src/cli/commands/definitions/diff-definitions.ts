// `millrace definitions diff`: a file against what is stored, or two stored versions.
import { existsSync } from "node:fs"
import type { Command } from "commander"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { drawChecks } from "../../drawing/check-picture.ts"
import { type DefinitionDiff, diffDefinitions, drawDiff } from "../../drawing/definition-diff.ts"
import { positiveWhole } from "../../options/numbers.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { canvasOf, type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { expectSound } from "./check-definitions.ts"
import { getVersion } from "./get-version.ts"
import { checkDefinitionText, readDefinitionFile } from "./read-definition-file.ts"

interface DiffOptions extends ShowOptions {
  readonly from?: number
  readonly to?: number
  readonly exitCode?: boolean
}

export function addDiff(group: Command, around: Surroundings): void {
  withJson(
    group
      .command("diff <file|id>")
      .description("What differs between a file and the latest version, or between two versions of a definition."),
  )
    .option("--from <n>", "this version (default: the latest, or the one before --to)", positiveWhole)
    .option("--to <n>", "and this one (default: the latest; not with a file)", positiveWhole)
    .option("--exit-code", "end with 1 when there is a difference")
    .action(async (word: string, options: DiffOptions) => {
      const isFile = word === "-" || /[/\\]|\.json$/.test(word) || existsSync(word)
      const difference = await (isFile ? diffFile : diffVersions)(around, word, options)
      say(around, options, difference, drawDiff)
      if (options.exitCode && difference.changes.length > 0)
        throw new CommandError(`${cellText(difference.definition)} differs`)
    })
}

async function diffFile(around: Surroundings, file: string, { from, to }: DiffOptions): Promise<DefinitionDiff> {
  if (to !== undefined) throw calledWrongly("--to is for two versions: a file is compared with one, which --from names")
  const checked = checkDefinitionText(file, await readDefinitionFile(around, file))
  for (const line of checked.violations.length > 0 ? drawChecks([checked])(canvasOf(around)) : []) around.print(line)
  expectSound([checked])
  const { definition } = checked
  if (!definition) throw new Error("a file without violations has a definition")
  const stored = await getVersion(new RemoteEngine(around.env), definition.id, from)
  const changes = diffDefinitions(stored, definition)
  return {
    definition: definition.id,
    from: `version ${stored.version}`,
    to: file === "-" ? "the input" : file,
    changes,
  }
}

async function diffVersions(around: Surroundings, id: string, options: DiffOptions): Promise<DefinitionDiff> {
  const engine = new RemoteEngine(around.env)
  const after = await getVersion(engine, id, options.to)
  const from = options.from ?? after.version - 1
  if (from === 0) throw calledWrongly(`${cellText(id)} has one version only: name a file to compare it with`)
  const before = await getVersion(engine, id, from)
  const changes = diffDefinitions(before, after)
  return { definition: id, from: `version ${before.version}`, to: `version ${after.version}`, changes }
}
