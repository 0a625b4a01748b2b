// `millrace incarnation`: shows the incarnation of the outbox, and gives it a new one after events were lost with a restore.
import type { Config } from "../../../config.ts"
import { keepIncarnation, readOutbox, renewIncarnation } from "../../../store/events/outbox.ts"
import { calledWrongly } from "../../command-error.ts"
import { type Print, withDatabase } from "./visit-database.ts"

interface IncarnationOptions {
  readonly new?: boolean
  readonly keep?: boolean
}

export const runIncarnation = (config: Config, options: IncarnationOptions, print: Print): Promise<void> =>
  withDatabase(config, async (db) => {
    if (options.new && options.keep) throw calledWrongly("--new and --keep exclude each other")
    if (options.new) {
      const { former, fresh } = await renewIncarnation(db)
      return print(
        `Ids of events end with -${fresh} from now on; before it was -${former}. Consumers are told by an event.`,
      )
    }
    if (options.keep) await keepIncarnation(db)
    const { incarnation, has_moved } = await readOutbox(db)
    print(`Ids of events end with -${incarnation}.`)
    if (has_moved) print(MOVED)
  })

const MOVED =
  "The database was restored, promoted or moved since. Where events may have been lost: millrace incarnation --new; where not: --keep."
