// Points git at .githooks after an install: only in a developer's own checkout, and never over hooks that are set already.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })

function hooksAreSet() {
  try {
    return git("config", "--get", "core.hooksPath").trim() !== ""
  } catch {
    return false
  }
}

if (!process.env.CI && existsSync(`${root}.git`) && !hooksAreSet()) {
  try {
    git("config", "core.hooksPath", ".githooks")
  } catch {
    // No git on this machine: nothing to hook into.
  }
}
