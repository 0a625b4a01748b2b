// Whether tools that have no stubs of ours find what the engine serves: reflection, health and the caller's deadline, by grpc's own
// clients of two languages.
import { WorkflowEngineService } from "@millrace/sdk/proto"
import { type Cell, isLegacy } from "../matrix.ts"
import { insist } from "../script/verdict.ts"

/** Where jobs go through Kafka there are no polls, and the wire check holds the cell to that. */
export const discovers = (cell: Cell): boolean => isLegacy(cell) && cell.transport === "grpc" && cell.mode === "poll"

/** Throws where something is missing. */
export function checkDiscovery(found: unknown): void {
  insist(
    {
      services: { $set: SERVICES },
      methods: { $set: METHODS },
      health: "SERVING",
      deadline: { $matches: "^(DeadlineExceeded|DEADLINE_EXCEEDED)$" },
    },
    found,
  )
}

const SERVICES = [
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
  "workflow.v1.WorkflowEngine",
]

const METHODS = Object.keys(WorkflowEngineService).map((name) => `${name[0]?.toUpperCase()}${name.slice(1)}`)
