// `millrace events`: where events go, what a sink did not take, and publishing one.
import type { Command } from "commander"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { drawParked, drawSinks } from "../../drawing/event-picture.ts"
import { JSON_HINT, jsonArgument } from "../../options/json-argument.ts"
import { type LimitOption, readUpTo, withLimit } from "../../options/paging.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { confirm } from "../../terminal/ask.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { examples, listCommand } from "../group.ts"
import { addParkedChanges } from "./change-parked.ts"

interface ParkedOptions extends ShowOptions, LimitOption {
  readonly sink?: string
  readonly type?: string
  readonly key?: string
}

export function addEventCommands(group: Command, around: Surroundings): void {
  withShow(listCommand(group, "The sinks: how many events wait, since when, who sends, what is parked.")).action(
    (options: ShowOptions) => {
      const engine = new RemoteEngine(around.env)
      return show(around, options, { read: () => engine.call("listSinks"), draw: drawSinks })
    },
  )
  withLimit(
    withShow(group.command("parked").description("Events that a sink did not take, in the order of publishing.")),
  )
    .option("--sink <name>", "of this sink")
    .option("--type <type>", "of this type")
    .option("--key <key>", "with this key")
    .action(({ sink, type, key, limit, ...options }: ParkedOptions) => {
      const engine = new RemoteEngine(around.env)
      const read = () =>
        readUpTo(limit, (page) =>
          engine.call("listParkedEvents", { query: { ...given({ sink, type, key }), ...page } }),
        )
      return show(around, options, { read, draw: drawParked })
    })
  addParkedChanges(group, around)
  addPublish(group, around)
  addForget(group, around)
  examples(
    group,
    `  millrace events                    the sinks, and how far each has come
  millrace events parked --sink billing
  millrace events replay billing 01JN8Z3V5E8Q2R7W4Y6T9A1B3C-3f9a0c1d
  millrace events replay billing --type payment.initiated
  millrace events discard billing --key p-1 --yes
  millrace events publish payment.initiated '{"id":"p-1"}' --key p-1
  millrace events forget billing --reason "moved to invoices"`,
  )
}

interface PublishOptions extends ShowOptions {
  readonly key?: string
  readonly header?: Readonly<Record<string, string>>
}

function addPublish(group: Command, around: Surroundings): void {
  withJson(group.command("publish <type> [payload]").description(`Publish an event. The payload is ${JSON_HINT}.`))
    .option("--key <key>", "events with the same key are delivered in this order")
    .option("--header <name=text>", "for what belongs to the delivery; may be given again", header)
    .action(async (type: string, payload: string | undefined, options: PublishOptions) => {
      const { key, header: headers } = options
      const body = { type, payload: await jsonArgument(around, payload, "the payload"), ...given({ key, headers }) }
      const published = await new RemoteEngine(around.env).call("publishEvent", { body })
      say(around, options, published, ({ id }) => [`Published ${cellText(id)}.`])
    })
}

function header(word: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = word.indexOf("=")
  if (at < 1) throw calledWrongly(`--header ${cellText(word)}: must be a name, = and a text`)
  return { ...before, [word.slice(0, at)]: word.slice(at + 1) }
}

interface ForgetOptions extends ShowOptions {
  readonly reason: string
  readonly force?: boolean
  readonly yes?: boolean
}

function addForget(group: Command, around: Surroundings): void {
  withJson(group.command("forget <sink>").description("Forget a sink: its position and its parked events are gone."))
    .requiredOption("--reason <text>", "why: kept with who and when")
    .option("--force", "although a process sends to it")
    .option("-y, --yes", "without asking")
    .action(async (sink: string, { reason, force, yes, ...options }: ForgetOptions) => {
      if (!(await confirm(around, `Forget the sink ${cellText(sink)} for good?`, yes)))
        return around.print("Nothing was changed.")
      const body = { reason, ...given({ force }) }
      await new RemoteEngine(around.env).call("forgetSink", { path: { sink }, body })
      say(around, options, { sink, forgotten: true }, () => [`Forgot ${cellText(sink)}.`])
    })
}
