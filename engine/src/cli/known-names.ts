// A line after a name that the engine does not know: it may be right, and misspelt its work would wait or fail without a word.
import { cellText } from "./drawing/cell-text.ts"
import { strangerLine } from "./drawing/stranger.ts"
import type { RemoteEngine } from "./remote-engine.ts"

const MOST_NAMES = 200

/** The ids of the definitions. Undefined where there are too many, or where they cannot be asked for. */
export async function definitionIds(engine: RemoteEngine): Promise<readonly string[] | undefined> {
  const page = await engine.callIfPossible("listDefinitions", { query: { pageSize: MOST_NAMES } })
  return page === undefined || page.total > page.items.length ? undefined : page.items.map(({ id }) => id)
}

export const strangeDefinition = async (engine: RemoteEngine, id: string): Promise<readonly string[]> =>
  strangerLine(id, await definitionIds(engine), `There is no definition ${cellText(id)} so far`)

/** The types that workers have asked for. */
export async function strangeJobType(engine: RemoteEngine, type: string): Promise<readonly string[]> {
  const types = (await engine.callIfPossible("listJobTypes"))?.items
  const asked = types?.filter(({ lastPolledAt }) => lastPolledAt !== undefined).map(({ name }) => name)
  return strangerLine(type, asked, `No worker has asked for jobs of type ${cellText(type)} so far`)
}
