// `millrace definitions check`: files judged by the engine's own rules, without an engine and without a database.
import type { Command } from "commander"
import type { Definition } from "../../../model/definitions/definition.ts"
import { missingNextWarning, nextOf } from "../../../model/definitions/definition-warnings.ts"
import { CommandError } from "../../command-error.ts"
import { drawChecks } from "../../drawing/check-picture.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { type CheckedFile, checkDefinitionText, readDefinitionFile } from "./read-definition-file.ts"

export function addCheck(group: Command, around: Surroundings): void {
  withJson(
    group
      .command("check <files...>")
      .description(
        "Look for mistakes in definitions, each with its line; - is the input. Exit code 1 if there are any.",
      ),
  ).action(async (files: readonly string[], options: ShowOptions) => {
    const checked: CheckedFile[] = []
    for (const file of files) checked.push(checkDefinitionText(file, await readDefinitionFile(around, file)))
    const ids = new Set(checked.map(({ definition }) => definition?.id))
    const items = checked.map(({ definition, warnings, ...one }) => ({
      ...one,
      warnings: [...missingNext(definition, ids), ...warnings],
      ...(definition ? { id: definition.id, steps: definition.steps.length } : {}),
    }))
    say(around, options, { items }, (_, canvas) => drawChecks(items)(canvas))
    expectSound(checked)
  })
}

/** The faults have been shown already. */
export function expectSound(checked: readonly CheckedFile[]): void {
  const bad = checked.filter(({ violations }) => violations.length > 0)
  if (bad.length === 0) return
  const words = checked.length === 1 ? "the definition" : `${bad.length} of ${checked.length} definitions`
  throw new CommandError(`${words} would be refused`)
}

/** No engine is asked: what is not in one of the files may have been uploaded before. */
function missingNext(definition: Definition | undefined, ids: ReadonlySet<string | undefined>): readonly string[] {
  const next = definition && nextOf(definition)
  return next === undefined || ids.has(next) ? [] : [missingNextWarning(next, "in these files")]
}
