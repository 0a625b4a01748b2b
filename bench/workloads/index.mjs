// The workloads in the order they run and are reported.
import * as abuse from "./abuse.mjs"
import * as doctor from "./doctor.mjs"
import * as drain from "./drain.mjs"
import * as gateway from "./gateway.mjs"
import * as guardIntake from "./guard-intake.mjs"
import * as history from "./history.mjs"
import * as idle from "./idle.mjs"
import * as idleGrpc from "./idle-grpc.mjs"
import * as idleRest from "./idle-rest.mjs"
import * as intake from "./intake.mjs"
import * as jobsBulk from "./jobs-bulk.mjs"
import * as jobsDrain from "./jobs-drain.mjs"
import * as jobsGate from "./jobs-gate.mjs"
import * as jobsHttp from "./jobs-http.mjs"
import * as jobsLanes from "./jobs-lanes.mjs"
import * as jobsOverload from "./jobs-overload.mjs"
import * as jobsPace from "./jobs-pace.mjs"
import * as jobsRetry from "./jobs-retry.mjs"
import * as jobsSingle from "./jobs-single.mjs"
import * as jobsTenants from "./jobs-tenants.mjs"
import * as kafkaDispatch from "./kafka-dispatch.mjs"
import * as kafkaProducer from "./kafka-producer.mjs"
import * as kafkaRelay from "./kafka-relay.mjs"
import { listWorkload } from "./lists.mjs"
import * as poison from "./poison.mjs"
import * as quiet from "./quiet.mjs"
import * as snapshot from "./snapshot.mjs"
import * as start from "./start.mjs"
import * as startGrpc from "./start-grpc.mjs"
import * as steady from "./steady.mjs"
import * as uiLists from "./ui-lists.mjs"
import * as uiPaint from "./ui-paint.mjs"
import * as uiWatchers from "./ui-watchers.mjs"
import * as workflows from "./workflows.mjs"

export const workloads = {
  start,
  workflows,
  drain,
  idle,
  "idle-rest": idleRest,
  "idle-grpc": idleGrpc,
  "start-grpc": startGrpc,
  steady,
  history,
  snapshot,
  quiet,
  intake,
  gateway,
  "guard-intake": guardIntake,
  "list-restart": listWorkload("restart"),
  "list-resume": listWorkload("resume"),
  "list-function": listWorkload("function"),
  "jobs-single": jobsSingle,
  "jobs-bulk": jobsBulk,
  "jobs-drain": jobsDrain,
  "jobs-lanes": jobsLanes,
  "jobs-tenants": jobsTenants,
  "jobs-gate": jobsGate,
  "jobs-overload": jobsOverload,
  "jobs-pace": jobsPace,
  "jobs-http": jobsHttp,
  "jobs-retry": jobsRetry,
  "ui-lists": uiLists,
  "ui-paint": uiPaint,
  "ui-watchers": uiWatchers,
  poison,
  abuse,
  doctor,
  "kafka-producer": kafkaProducer,
  "kafka-relay": kafkaRelay,
  "kafka-dispatch": kafkaDispatch,
}
