// Which commits come before this one, as far as this copy of the project knows them.
import { command } from "../command.ts"

/** How many earlier commits are tried until one builds. */
const CANDIDATES = 5

export interface History {
  /** The commit that is checked out, `-dirty` where files differ from it. */
  readonly current: string
  /** Newest first. */
  readonly earlier: readonly string[]
}

/** The history, or the reason why there is none; a commit that was named and is nowhere to be found is an error. */
export async function readHistory(root: string, ref: string | undefined): Promise<History | string> {
  const git = (...args: readonly string[]) => command(root, "git", ...args)
  const isClone = await git("rev-parse", "--git-dir").then(
    () => true,
    () => false,
  )
  if (!isClone) return "this copy of the project has no git history: clone it"
  const current = await git("describe", "--always", "--abbrev=7", "--exclude=*", "--dirty")
  const earlier = await earlierOf(git, ref)
  if (earlier.length > 0) return { current, earlier }
  const isShallow = (await git("rev-parse", "--is-shallow-repository")) === "true"
  if (isShallow) return "this clone is shallow and ends before that commit: git fetch --unshallow"
  if (ref === undefined) return "there is no commit before this one"
  throw new Error(`--previous ${ref} names no commit of this clone`)
}

async function earlierOf(git: (...args: readonly string[]) => Promise<string>, ref: string | undefined) {
  const range = ref === undefined ? [`--max-count=${CANDIDATES}`, "HEAD~1"] : ["--max-count=1", ref]
  const found = await git("rev-list", "--first-parent", "--abbrev-commit", "--abbrev=7", ...range, "--").catch(() => "")
  return found.split("\n").filter((line) => line !== "")
}
