// `millrace dlq replay` and `discard`: first how many it would be, then a question, then how far it has come.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import { confirm } from "../ask.ts"
import { CommandError, calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"
import { type DeadLetterAnswer, drawDeadLetters } from "../drawing/dead-letter-picture.ts"
import { canvasOf, type ShowOptions, say, withJson } from "../drawing/show.ts"
import { plural } from "../drawing/times.ts"
import type { Surroundings } from "../surroundings.ts"
import { type BulkAnswer, bulkOutcome, followBulk } from "./bulk-follow.ts"
import { type DeadLetterFilter, filterOf, isEmpty, type WireFilter, withFilter } from "./dead-letter-filter.ts"
import { segment } from "./group.ts"

interface Verb {
  readonly name: "replay" | "discard"
  readonly description: string
  readonly begins: string
  readonly ing: string
  readonly ed: string
}

const VERBS: readonly Verb[] = [
  {
    name: "replay",
    description: "Send dead letters back to their lanes, with all their retries.",
    begins: "Replay",
    ing: "Replaying",
    ed: "Replayed",
  },
  {
    name: "discard",
    description: "Throw dead letters away for good.",
    begins: "Discard",
    ing: "Discarding",
    ed: "Discarded",
  },
]

interface ChangeOptions extends ShowOptions, DeadLetterFilter {
  readonly all?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

export function addDeadLetterChanges(group: Command, around: Surroundings): void {
  for (const verb of VERBS) {
    withFilter(withJson(group.command(`${verb.name} [id]`).description(verb.description)))
      .option("--all", "every one of them")
      .option("-y, --yes", "without asking")
      .option("--dry-run", "only say how many it would be")
      .action((id: string | undefined, options: ChangeOptions) => {
        const filter = filterOf(options)
        if (id !== undefined && (options.all || !isEmpty(filter)))
          throw calledWrongly("give an id or a filter, not both")
        if (id !== undefined) return changeOne(around, verb, id, options)
        if (!options.all && isEmpty(filter))
          throw calledWrongly("say which: an id, --type, --error or --all; `millrace dlq groups` shows what there is")
        return changeMany(
          around,
          verb,
          options.all ? { ...filter, before: filter.before ?? tomorrow() } : filter,
          options,
        )
      })
  }
}

/** The engine wants a filter, lest a slip discards everything; this one says that everything is meant. */
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString()

async function changeOne(around: Surroundings, verb: Verb, id: string, options: ChangeOptions): Promise<void> {
  const api = new ApiClient(around.env)
  const path = `/queues/dlq/${segment(id)}`
  if (options.dryRun) {
    const letter = await api.get<DeadLetterAnswer>(path)
    return say(around, options, letter, (found, canvas) => [
      `This would ${verb.name} 1 dead letter.`,
      ...drawDeadLetters({ items: [found] }, canvas),
    ])
  }
  if (verb.name === "replay") {
    const answer = await api.send<{ job_id?: string }>("POST", `${path}/replay`)
    const as = answer.job_id ? ` as job ${cellText(answer.job_id)}` : ""
    return say(around, options, answer, () => [`Replayed ${cellText(id)}${as}.`])
  }
  if (!(await confirm(around, `Discard dead letter ${cellText(id)} for good?`, options.yes))) return unchanged(around)
  await api.send("DELETE", path)
  say(around, options, { id, discarded: true }, () => [`Discarded ${cellText(id)}.`])
}

type Preview = BulkAnswer & { readonly examples?: readonly DeadLetterAnswer[] }

async function changeMany(around: Surroundings, verb: Verb, filter: WireFilter, options: ChangeOptions): Promise<void> {
  const api = new ApiClient(around.env)
  const path = `/queues/dlq/${verb.name}`
  const preview = await api.send<Preview>("POST", path, { filter, dryRun: true })
  if (options.dryRun || preview.matched === 0)
    return say(around, options, preview, () => previewLines(around, verb, preview))
  if (!options.json) for (const line of previewLines(around, verb, preview)) around.print(line)
  const question = `${verb.begins} ${plural(preview.matched, "dead letter")}?`
  if (!(await confirm(around, question, options.yes))) return unchanged(around)
  const started = await api.send<BulkAnswer>("POST", path, { filter, dryRun: false })
  const bulk = await followBulk(around, api, verb.ing, started).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error
    throw new CommandError(`${verb.ing} goes on in the engine, but cannot be followed: ${error.message}`)
  })
  say(around, options, bulk, () => [bulkOutcome(verb.ed, bulk)])
}

function previewLines(around: Surroundings, verb: Verb, { matched, examples = [] }: Preview): readonly string[] {
  if (matched === 0) return [`Nothing matches: there is nothing to ${verb.name}.`]
  const more =
    matched > examples.length && examples.length > 0
      ? [`… and ${plural(matched - examples.length, "more", "more")}`]
      : []
  const shown = examples.length > 0 ? drawDeadLetters({ items: examples }, canvasOf(around)) : []
  return [`This would ${verb.name} ${plural(matched, "dead letter")}:`, "", ...shown, ...more, ""]
}

const unchanged = (around: Surroundings): void => around.print("Nothing was changed.")
