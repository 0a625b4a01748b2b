// `millrace dead-letters replay` and `discard`: first how many it would be, then a question, then how far it has come.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { drawDeadLetters } from "../../drawing/dead-letter-picture.ts"
import { plural } from "../../drawing/times.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { confirm } from "../../terminal/ask.ts"
import { canvasOf, type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { type FilterOptions, filterOf, withFilter } from "./dead-letter-filter.ts"
import { bulkOutcome, followBulk } from "./follow-bulk.ts"
import { leftBehind } from "./left-behind.ts"

interface Verb {
  readonly name: "replay" | "discard"
  readonly description: string
  readonly many: "replayDeadLetters" | "discardDeadLetters"
  readonly begins: string
  readonly ing: string
  readonly ed: string
}

const VERBS: readonly Verb[] = [
  {
    name: "replay",
    description: "Send dead letters back to the workers, with all their retries.",
    many: "replayDeadLetters",
    begins: "Replay",
    ing: "Replaying",
    ed: "Replayed",
  },
  {
    name: "discard",
    description: "Throw dead letters away for good.",
    many: "discardDeadLetters",
    begins: "Discard",
    ing: "Discarding",
    ed: "Discarded",
  },
]

interface ChangeOptions extends ShowOptions, FilterOptions {
  readonly all?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/** A verb on the dead letters of one call. */
interface Change {
  readonly around: Surroundings
  readonly engine: RemoteEngine
  readonly verb: Verb
  readonly options: ChangeOptions
}

export function addDeadLetterChanges(group: Command, around: Surroundings): void {
  for (const verb of VERBS) {
    withFilter(withJson(group.command(`${verb.name} [id]`).description(verb.description)))
      .option("--all", "every one of them")
      .option("-y, --yes", "without asking")
      .option("--dry-run", "only say how many it would be")
      .action((id: string | undefined, options: ChangeOptions) => {
        const filter = chosen(id, options)
        const change = { around, engine: new RemoteEngine(around.env), verb, options }
        return filter === undefined ? changeOne(change, id as string) : changeMany(change, filter)
      })
  }
}

/** The filter of many; undefined where one is named by its id. */
function chosen(id: string | undefined, options: ChangeOptions): wire.DeadLetterFilter | undefined {
  const filter = filterOf(options)
  const isEmpty = Object.keys(filter).length === 0
  if (id !== undefined && (options.all || !isEmpty)) throw calledWrongly("give an id or a filter, not both")
  if (id !== undefined) return undefined
  if (!options.all && isEmpty)
    throw calledWrongly(
      "say which: an id, --type, --error or --all; `millrace dead-letters groups` shows what there is",
    )
  return options.all ? { before: tomorrow(), ...filter } : filter
}

/** The engine wants a filter, so that a slip does not discard everything; this one says that everything is meant. */
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString()

async function changeOne(change: Change, id: string): Promise<void> {
  const { around, engine, verb, options } = change
  const path = { deadLetterId: id }
  if (options.dryRun) return previewOne(change, id)
  if (verb.name === "replay") {
    const answer = await engine.call("replayDeadLetter", { path })
    const as = answer.job_id ? ` as job ${cellText(answer.job_id)}` : ""
    return say(around, options, answer, () => [`Replayed ${cellText(id)}${as}.`])
  }
  if (!(await confirm(around, `Discard dead letter ${cellText(id)} for good?`, options.yes))) return unchanged(around)
  await engine.call("discardDeadLetter", { path })
  say(around, options, { id, discarded: true }, () => [`Discarded ${cellText(id)}.`])
}

async function previewOne({ around, engine, verb, options }: Change, id: string): Promise<void> {
  const letter = await engine.call("getDeadLetter", { path: { deadLetterId: id } })
  say(around, options, letter, (found, canvas) => [
    `This would ${verb.name} 1 dead letter.`,
    ...drawDeadLetters({ items: [found] }, canvas),
  ])
}

async function changeMany(change: Change, filter: wire.DeadLetterFilter): Promise<void> {
  const { around, engine, verb, options } = change
  const preview = await engine.call(verb.many, { body: { filter, dryRun: true } })
  if (preview.matched === 0) return sayNothing(change, preview)
  if (options.dryRun) return say(around, options, preview, () => previewLines(around, verb, preview))
  if (!options.json) for (const line of previewLines(around, verb, preview)) around.print(line)
  const question = `${verb.begins} ${plural(preview.matched, "dead letter")}?`
  if (!(await confirm(around, question, options.yes))) return unchanged(around)
  const started = await engine.call(verb.many, { body: { filter, dryRun: false } })
  const bulk = await followBulk(around, engine, { verb: verb.ing, started }).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error
    throw new CommandError(`${verb.ing} goes on in the engine, but cannot be followed: ${error.message}`)
  })
  say(around, options, bulk, () => [bulkOutcome(verb.ed, bulk)])
  if (bulk.failed > 0) throw await leftBehind(engine, bulk, filter)
}

/** How many of the newest dead letters are read to say what there is. */
const LOOKED_AT = 100

async function sayNothing({ around, engine, verb, options }: Change, preview: wire.DeadLetterBulk): Promise<void> {
  const isAsked = !options.json && !options.all
  const page = isAsked ? await engine.callIfAllowed("listDeadLetters", { query: { limit: LOOKED_AT } }) : undefined
  const types = [...new Set(page?.items.map(({ type }) => cellText(type)))]
  const others = types.length === 0 ? "" : ` There are dead letters of ${types.join(", ")}.`
  say(around, options, preview, () => [`Nothing matches: there is nothing to ${verb.name}.${others}`])
}

function previewLines(around: Surroundings, verb: Verb, preview: wire.DeadLetterBulk): readonly string[] {
  const { matched, examples = [] } = preview
  const more =
    matched > examples.length && examples.length > 0
      ? [`… and ${plural(matched - examples.length, "more", "more")}`]
      : []
  const shown = examples.length > 0 ? drawDeadLetters({ items: examples }, canvasOf(around)) : []
  return [`This would ${verb.name} ${plural(matched, "dead letter")}:`, "", ...shown, ...more, ""]
}

const unchanged = (around: Surroundings): void => around.print("Nothing was changed.")
