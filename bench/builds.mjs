// An earlier commit of this repository, built in a folder of its own, so that it can be measured beside the working tree.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const BUILDS = fileURLToPath(new URL(".builds/", import.meta.url))

/** Builds the commit unless it has been built before. Returns its short hash and where its engine is. */
export function buildCommit(commit) {
  const hash = hashOf(commit)
  const folder = join(BUILDS, hash)
  const engine = join(folder, "engine")
  if (!existsSync(join(folder, ".built"))) {
    console.error(`building ${hash} in bench/.builds: npm ci takes some minutes the first time`)
    mkdirSync(folder, { recursive: true })
    execFileSync("tar", ["-x", "-C", folder], { input: archiveOf(hash) })
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
    execFileSync("touch", [join(folder, ".built")])
  }
  return { hash, engine }
}

function hashOf(commit) {
  try {
    return git(["rev-parse", "--short=12", "--verify", "--end-of-options", `${commit}^{commit}`])
      .toString()
      .trim()
  } catch {
    throw new Error(`--against: there is no commit ${commit}; name a hash, a tag or a branch of this repository`)
  }
}

const archiveOf = (hash) => git(["archive", "--format=tar", hash])

const git = (words) =>
  execFileSync("git", words, { cwd: ROOT, maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] })
