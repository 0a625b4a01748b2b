// Who takes part in what. Nothing here loads a contestant: that happens in the child process of a run.
//
// `scale` shrinks the full size of a workload for a slow contestant, so that a round takes minutes and not an hour.
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const ON_POSTGRES = ["start", "drain", "idle", "steady", "snapshot", "quiet"]

const LISTS = ["list-restart", "list-resume", "list-function"]

export const contestants = [
  {
    name: "millrace",
    files: ["../../engine/dist/index.js"],
    workloads: [...ON_POSTGRES, "workflows", "history", "idle-rest", "intake", ...LISTS],
  },
  {
    name: "graphile-worker",
    files: ["../node_modules/graphile-worker/package.json"],
    minNode: 22,
    workloads: ON_POSTGRES,
    scale: { start: 0.25 },
  },
  {
    name: "pg-boss",
    files: ["../node_modules/pg-boss/package.json"],
    minNode: 22,
    workloads: [...ON_POSTGRES, "workflows", "history"],
    scale: { start: 0.25, workflows: 0.25 },
  },
  {
    name: "dbos",
    files: ["../node_modules/@dbos-inc/dbos-sdk/package.json"],
    workloads: [...ON_POSTGRES, "workflows", "history", ...LISTS],
    scale: { start: 0.25, drain: 0.1, history: 0.1, "list-restart": 0.1, "list-resume": 0.5, "list-function": 0.5 },
  },
  {
    name: "bullmq-pg",
    files: ["../node_modules/bullmq/package.json"],
    workloads: [...ON_POSTGRES, "workflows"],
    scale: { start: 0.25, drain: 0.1, workflows: 0.25 },
  },
  {
    name: "restate",
    files: [
      "../node_modules/@restatedev/restate-sdk/package.json",
      "../node_modules/@restatedev/restate-server-linux-x64/bin/restate-server",
    ],
    workloads: ["start", "workflows", "drain", "idle", "steady"],
    scale: { start: 0.25, drain: 0.1 },
  },
]

/** The first reason why a contestant cannot run here, or undefined. */
export function whyNot({ files, minNode = 0 }, nodeMajor) {
  const missing = files.find((file) => !existsSync(fileURLToPath(new URL(file, import.meta.url))))
  if (missing) return missing.startsWith("../node_modules") ? "not installed" : "not built"
  return nodeMajor < minNode ? `needs Node ${minNode}` : undefined
}

/** Read from the file, because most packages hide package.json behind "exports". */
export function packageVersion(name) {
  return JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")).version
}
