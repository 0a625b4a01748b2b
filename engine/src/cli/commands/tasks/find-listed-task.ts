// The open task that is meant, found in the list of tasks: for a key that may work on tasks and not see instances.
import type { wire } from "@millrace/sdk"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { given } from "../../options/values.ts"
import type { RemoteEngine } from "../../remote-engine.ts"

/** The engine gives no more at a time. */
const pageSize = 200

/** The tasks of one instance: the word is its id or one of its keys. */
export async function listOpenTasks(
  engine: RemoteEngine,
  word: string,
  definition: string | undefined,
): Promise<readonly wire.UserTask[]> {
  const isMeant = ({ instanceId, businessKey, key, definitionId }: wire.UserTask): boolean =>
    [instanceId, businessKey, key].includes(word) && (definition ?? definitionId) === definitionId
  const tasks: wire.UserTask[] = []
  let cursor: string | undefined
  do {
    const query = { status: "OPEN", pageSize, ...given({ cursor }) } as const
    const page = await engine.call("listUserTasks", { query })
    tasks.push(...page.items.filter(isMeant))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  const definitions = [...new Set(tasks.map(({ definitionId }) => cellText(definitionId)))]
  if (definitions.length > 1)
    throw calledWrongly(
      `tasks of ${definitions.join(" and ")} have the key ${cellText(word)}: name one with --definition`,
    )
  return tasks
}
