// A commit beside this one, built, with nothing of this one's packages in it.
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { command } from "../command.ts"
import { insistOnOwnCode } from "./own-code.ts"

export interface Checkout {
  readonly commit: string
  readonly place: string
  remove(): Promise<void>
}

/** What is run of a checkout. */
const ENGINE = "engine/dist/cli.js"
const PROGRAM = "sdks/typescript/conformance/dist/program.js"
const LAUNCHER = "sdks/typescript/conformance-program"

export const engineOf = ({ place }: Pick<Checkout, "place">): string => join(place, ENGINE)
export const launcherOf = ({ place }: Pick<Checkout, "place">): string => join(place, LAUNCHER)

/** Rejects when the commit does not build; nothing of it is left then. */
export async function openCheckout(root: string, commit: string, folder: string): Promise<Checkout> {
  const place = join(folder, `commit-${commit}`)
  await command(root, "git", "worktree", "add", "--detach", place, commit)
  const remove = async () => {
    await command(root, "git", "worktree", "remove", "--force", place)
  }
  try {
    await build(root, place)
    for (const one of [root, place]) insistOnOwnCode(one, [ENGINE, PROGRAM])
    return { commit, place, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Packages that are links to another checkout would bring its SDK along, so it has all of its own. */
async function build(root: string, place: string): Promise<void> {
  await command(place, "npm", "ci", "--prefer-offline", "--ignore-scripts")
  await command(place, "npm", "run", "--silent", "build")
  if (!existsSync(join(place, LAUNCHER))) lendProgram(root, place)
}

/** An SDK from before the conformance programs is driven by the program of this commit. */
function lendProgram(root: string, place: string): void {
  const dist = "sdks/typescript/conformance/dist"
  rmSync(join(place, dist), { recursive: true, force: true })
  mkdirSync(join(place, dist), { recursive: true })
  cpSync(join(root, dist), join(place, dist), { recursive: true })
  copyFileSync(join(root, LAUNCHER), join(place, LAUNCHER))
}
