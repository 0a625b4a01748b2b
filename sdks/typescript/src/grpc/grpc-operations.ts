// The operations that the gRPC service has; what is not among them goes over REST.
import type { Operations } from "../generated/wire.ts"

export const GRPC_OPERATIONS: ReadonlySet<keyof Operations> = new Set([
  "uploadDefinition",
  "getDefinition",
  "getDefinitionVersion",
  "listDefinitions",
  "startInstance",
  "getInstance",
  "getInstanceHistory",
  "cancelInstance",
  "listInstances",
  "completeUserTask",
  "signalInstance",
  "retryStep",
  "pollJobs",
  "completeJob",
  "failJob",
  "heartbeatJob",
  "exchangeJobs",
  "getReadiness",
])
