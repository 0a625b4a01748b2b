// `millrace events replay` and `discard`: one parked event, or all of a sink that match, after a question.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { plural } from "../../drawing/times.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { confirm } from "../../terminal/ask.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"

interface Verb {
  readonly name: "replay" | "discard"
  readonly description: string
  readonly many: "replayParkedEvents" | "discardParkedEvents"
  readonly begins: string
  readonly ed: string
}

const VERBS: readonly Verb[] = [
  {
    name: "replay",
    description: "Send parked events to their sink again, with all their tries; those behind them follow.",
    many: "replayParkedEvents",
    begins: "Replay",
    ed: "Replayed",
  },
  {
    name: "discard",
    description: "Give parked events up for good: this sink will never be sent them.",
    many: "discardParkedEvents",
    begins: "Discard",
    ed: "Discarded",
  },
]

interface ChangeOptions extends ShowOptions {
  readonly type?: string
  readonly key?: string
  readonly all?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

interface Change {
  readonly around: Surroundings
  readonly engine: RemoteEngine
  readonly verb: Verb
  readonly options: ChangeOptions
}

export function addParkedChanges(group: Command, around: Surroundings): void {
  for (const verb of VERBS) {
    withJson(group.command(`${verb.name} <sink> [id]`).description(verb.description))
      .option("--type <type>", "of this type")
      .option("--key <key>", "with this key")
      .option("--all", "every one of this sink")
      .option("-y, --yes", "without asking")
      .option("--dry-run", "only say how many it would be")
      .action((sink: string, id: string | undefined, options: ChangeOptions) => {
        const change = { around, engine: new RemoteEngine(around.env), verb, options }
        const filter = chosen(sink, id, options)
        return filter === undefined ? changeOne(change, { sink, eventId: id as string }) : changeMany(change, filter)
      })
  }
}

/** The filter of many; undefined where one is named by its id. */
function chosen(sink: string, id: string | undefined, options: ChangeOptions): wire.ParkedEventFilter | undefined {
  const { type, key, all, dryRun } = options
  const names = all === true || type !== undefined || key !== undefined
  if (id !== undefined && (names || dryRun)) throw calledWrongly("give an id or a filter, not both")
  if (id !== undefined) return undefined
  if (!names)
    throw calledWrongly("say which: an id, --type, --key or --all; `millrace events parked` shows what there is")
  return { sink, ...given({ type, key }) }
}

type Path = { readonly sink: string; readonly eventId: string }

async function changeOne({ around, engine, verb, options }: Change, path: Path): Promise<void> {
  const { sink, eventId: id } = path
  if (verb.name === "replay") {
    const answer = await engine.call("replayParkedEvent", { path })
    return say(around, options, answer, () => [`Replayed ${cellText(id)}.`])
  }
  const question = `Discard event ${cellText(id)} for ${cellText(sink)} for good?`
  if (!(await confirm(around, question, options.yes))) return unchanged(around)
  await engine.call("discardParkedEvent", { path })
  say(around, options, { sink, id, discarded: true }, () => [`Discarded ${cellText(id)}.`])
}

async function changeMany({ around, engine, verb, options }: Change, filter: wire.ParkedEventFilter): Promise<void> {
  const preview = await engine.call(verb.many, { body: { filter, dryRun: true } })
  const { matched } = preview
  if (options.dryRun || matched === 0) return say(around, options, preview, () => [previewOf(verb, matched)])
  const question = `${verb.begins} ${plural(matched, "event")}?`
  if (!(await confirm(around, question, options.yes))) return unchanged(around)
  const done = await engine.call(verb.many, { body: { filter } })
  say(around, options, done, () => [outcomeOf(verb, done)])
}

const previewOf = (verb: Verb, matched: number): string =>
  matched === 0
    ? `Nothing matches: there is nothing to ${verb.name}.`
    : `This would ${verb.name} ${plural(matched, "event")}.`

/** The engine takes so many at a time: the rest is for another call. */
const outcomeOf = (verb: Verb, { matched, changed }: wire.ParkedChange): string =>
  `${verb.ed} ${plural(changed, "event")}.${changed < matched ? " There are more: call it again." : ""}`

const unchanged = (around: Surroundings): void => around.print("Nothing was changed.")
