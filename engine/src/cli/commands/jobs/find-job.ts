// Which job is meant: by its id, or by its key where one job alone has it.
import { isUlid } from "../../../support/ids.ts"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { readUpTo } from "../../options/paging.ts"
import type { RemoteEngine } from "../../remote-engine.ts"

/** How many of the jobs whose keys begin with the word are looked at. */
const LOOK_AT = 1_000

/** With the word as an id, and where no job has it, with the id of the job whose key it is. */
export async function onJob<T>(engine: RemoteEngine, word: string, act: (id: string) => Promise<T>): Promise<T> {
  try {
    return await act(word)
  } catch (error) {
    if (isUlid(word) || !(error instanceof CommandError && error.refusal === "not-found")) throw error
    return act(await findByKey(engine, word))
  }
}

async function findByKey(engine: RemoteEngine, word: string): Promise<string> {
  const found = await Promise.all(
    (["listJobs", "listEndedJobs"] as const).map((list) =>
      readUpTo(LOOK_AT, (page) => engine.call(list, { query: { keyPrefix: word, ...page } })),
    ),
  )
  const jobs = found.flatMap(({ items }) => items.filter(({ key }) => key === word))
  const [first, ...others] = jobs
  const list = `millrace jobs --key ${cellText(word)}`
  if (!first)
    throw new CommandError(`there is no job with the id or the key ${cellText(word)}; ${list} lists keys that begin so`)
  const types = jobs.map(({ jobType }) => cellText(jobType)).join(" and ")
  if (others.length > 0)
    throw calledWrongly(`jobs of ${types} have the key ${cellText(word)}: take the id, which ${list} tells`)
  return first.id
}
