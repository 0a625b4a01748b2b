// `millrace dlq`: what was given up, why, and sending it back or throwing it away, one by one or many at once.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import {
  type DeadGroupPage,
  type DeadLetterAnswer,
  type DeadLetterPage,
  drawDeadGroups,
  drawDeadLetter,
  drawDeadLetters,
} from "../drawing/dead-letter-picture.ts"
import { type ShowOptions, show, withShow } from "../drawing/show.ts"
import type { Surroundings } from "../surroundings.ts"
import { addDeadLetterChanges } from "./change-dead-letters.ts"
import { type DeadLetterFilter, filterOf, withFilter } from "./dead-letter-filter.ts"
import { examples, listCommand, segment, wholeNumber } from "./group.ts"

const LIMIT = 20

type ListOptions = ShowOptions & DeadLetterFilter & { readonly limit: number }

export function addDeadLetterCommands(group: Command, around: Surroundings): void {
  withFilter(withShow(listCommand(group, "Dead letters, newest first.")))
    .option("--limit <n>", "at most so many", wholeNumber, LIMIT)
    .action((options: ListOptions) => {
      const api = new ApiClient(around.env)
      const query = { ...filterOf(options), limit: options.limit }
      return show(around, options, { read: () => api.get<DeadLetterPage>("/queues/dlq", query), draw: drawDeadLetters })
    })
  withShow(group.command("groups").description("By what went wrong: how many of each, since when.")).action(
    (options: ShowOptions) => {
      const api = new ApiClient(around.env)
      const read = () => api.get<DeadGroupPage>("/queues/dlq/groups")
      return show(around, options, { read, draw: drawDeadGroups })
    },
  )
  withShow(
    group.command("show <id>").description("One dead letter, by its id or its job's: error, payload, every attempt."),
  ).action((id: string, options: ShowOptions) => {
    const api = new ApiClient(around.env)
    const read = () => api.get<DeadLetterAnswer>(`/queues/dlq/${segment(id)}`)
    return show(around, options, { read, draw: drawDeadLetter })
  })
  addDeadLetterChanges(group, around)
  examples(
    group,
    `  millrace dlq                                     the newest
  millrace dlq groups                              what goes wrong, how often
  millrace dlq show 01JN8Z3V5E8Q2R7W4Y6T9A1B3C
  millrace dlq replay 01JN8Z3V5E8Q2R7W4Y6T9A1B3C   back to its lane
  millrace dlq replay --type send_email            all of a type; it asks first
  millrace dlq discard --error 05f6287627826255 --yes --since 2h`,
  )
}
