// `millrace dead-letters`: what was given up, why, and sending it back or throwing it away, one by one or many at once.
import type { Command } from "commander"
import { drawDeadGroups, drawDeadLetter, drawDeadLetters } from "../../drawing/dead-letter-picture.ts"
import { type LimitOption, readUpTo, withLimit } from "../../options/paging.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, show, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { examples, listCommand } from "../group.ts"
import { addDeadLetterChanges } from "./change-dead-letters.ts"
import { type FilterOptions, filterOf, withFilter } from "./dead-letter-filter.ts"

type ListOptions = ShowOptions & FilterOptions & LimitOption

export function addDeadLetterCommands(group: Command, around: Surroundings): void {
  withLimit(withFilter(withShow(listCommand(group, "Dead letters, newest first.")))).action((options: ListOptions) => {
    const engine = new RemoteEngine(around.env)
    const filter = filterOf(options)
    const read = () =>
      readUpTo(options.limit, ({ pageSize, ...page }) =>
        engine.call("listDeadLetters", { query: { ...filter, ...page, limit: pageSize } }),
      )
    return show(around, options, { read, draw: drawDeadLetters })
  })
  withShow(group.command("groups").description("By what went wrong: how many of each, since when.")).action(
    (options: ShowOptions) => {
      const engine = new RemoteEngine(around.env)
      return show(around, options, { read: () => engine.call("groupDeadLetters"), draw: drawDeadGroups })
    },
  )
  withShow(
    group
      .command("show <id>")
      .description("One dead letter, by its id or the id of its job: error, payload, every attempt."),
  ).action((id: string, options: ShowOptions) => {
    const engine = new RemoteEngine(around.env)
    const read = () => engine.call("getDeadLetter", { path: { deadLetterId: id } })
    return show(around, options, { read, draw: drawDeadLetter })
  })
  addDeadLetterChanges(group, around)
  examples(
    group,
    `  millrace dead-letters                            the newest
  millrace dead-letters groups                     what goes wrong, how often
  millrace dead-letters show 01JN8Z3V5E8Q2R7W4Y6T9A1B3C
  millrace dead-letters replay 01JN8Z3V5E8Q2R7W4Y6T9A1B3C
  millrace dead-letters replay --type send_email   all of a type; it asks first
  millrace dead-letters discard --error 05f6287627826255 --yes --since 2h`,
  )
}
