// Who takes part in what. Nothing here loads a contestant: that happens in the child process of a run.
//
// `scale` shrinks the number of items of a workload at full size for a slow contestant, so that a round takes minutes and not an
// hour; `sizes` says any other size.
import { existsSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ENGINE } from "./engine-folder.mjs"

const ON_POSTGRES = ["start", "drain", "idle", "steady", "snapshot", "quiet"]

const LISTS = ["list-restart", "list-resume", "list-function"]

const QUEUES = ["jobs-single", "jobs-bulk", "jobs-drain"]

const OWN_JOBS = ["jobs-lanes", "jobs-tenants", "jobs-gate", "jobs-overload", "jobs-pace", "jobs-http", "jobs-retry"]

const DASHBOARD = ["ui-lists", "ui-paint", "ui-watchers"]

// No floor is on theirs, and a tenth of it is in Millrace's figures.
const SHORT_HISTORY = { kept: 1_000_000 }

export const contestants = [
  {
    name: "millrace",
    files: [new URL("dist/index.js", ENGINE).href],
    workloads: [
      ...ON_POSTGRES,
      "workflows",
      "history",
      "idle-rest",
      "idle-grpc",
      "start-grpc",
      "intake",
      "gateway",
      "guard-intake",
      ...LISTS,
      ...QUEUES,
      ...OWN_JOBS,
      ...DASHBOARD,
      "doctor",
      "poison",
      "abuse",
      "kafka-producer",
      "kafka-relay",
      "kafka-dispatch",
    ],
  },
  {
    name: "graphile-worker",
    files: ["../node_modules/graphile-worker/package.json"],
    minNode: 22,
    workloads: [...ON_POSTGRES, ...QUEUES],
    scale: { start: 0.25, "jobs-single": 0.125 },
  },
  {
    name: "pg-boss",
    files: ["../node_modules/pg-boss/package.json"],
    minNode: 22,
    workloads: [...ON_POSTGRES, "workflows", "history", ...QUEUES],
    scale: { start: 0.25, workflows: 0.25, "jobs-single": 0.125 },
    sizes: { history: SHORT_HISTORY },
  },
  {
    name: "dbos",
    files: ["../node_modules/@dbos-inc/dbos-sdk/package.json"],
    workloads: [...ON_POSTGRES, "workflows", "history", ...LISTS],
    scale: { start: 0.25, drain: 0.1, history: 0.1, "list-restart": 0.1, "list-resume": 0.5, "list-function": 0.5 },
    sizes: { history: SHORT_HISTORY },
  },
  {
    name: "bullmq-pg",
    files: ["../node_modules/bullmq/package.json"],
    workloads: [...ON_POSTGRES, "workflows"],
    scale: { start: 0.25, drain: 0.1, workflows: 0.25 },
  },
  {
    name: "bullmq-redis",
    files: ["../node_modules/bullmq/package.json", "../node_modules/ioredis/package.json"],
    command: "redis-server",
    workloads: QUEUES,
    scale: { "jobs-drain": 0.25 },
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

/** What takes part in whatever Millrace does: the engine of an earlier commit. */
export const BEFORE = "before"

/** The contestants by name; `before` has the workloads of Millrace. */
export function contestantsNamed(names) {
  const [millrace] = contestants
  return [millrace, { ...millrace, name: BEFORE, files: [] }, ...contestants.slice(1)].filter(({ name }) =>
    names.includes(name),
  )
}

/** The first reason why a contestant cannot run here, or undefined. */
export function whyNot({ files, command, minNode = 0 }, nodeMajor) {
  const missing = files.find((file) => !existsSync(fileURLToPath(new URL(file, import.meta.url))))
  if (missing) return missing.startsWith("../node_modules") ? "not installed" : "not built"
  if (command && !isOnPath(command)) return `there is no ${command}; Debian's package of that name has it`
  return nodeMajor < minNode ? `needs Node ${minNode}` : undefined
}

const isOnPath = (command) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => folder && existsSync(join(folder, command)))

/** Read from the file, because most packages hide package.json behind "exports". */
export function packageVersion(name) {
  return JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")).version
}
