// The workloads in the order they run and are reported.
import * as drain from "./drain.mjs"
import * as history from "./history.mjs"
import * as idle from "./idle.mjs"
import * as idleRest from "./idle-rest.mjs"
import * as intake from "./intake.mjs"
import { listWorkload } from "./lists.mjs"
import * as quiet from "./quiet.mjs"
import * as snapshot from "./snapshot.mjs"
import * as start from "./start.mjs"
import * as steady from "./steady.mjs"
import * as workflows from "./workflows.mjs"

export const workloads = {
  start,
  workflows,
  drain,
  idle,
  "idle-rest": idleRest,
  steady,
  history,
  snapshot,
  quiet,
  intake,
  "list-restart": listWorkload("restart"),
  "list-resume": listWorkload("resume"),
  "list-function": listWorkload("function"),
}
