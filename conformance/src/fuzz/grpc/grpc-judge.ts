// Holds an answer of gRPC against the contract: status, reason, details, messages, and who may have it.
import { ErrorInfo, Status } from "@millrace/sdk/proto"
import { errorCatalogue } from "../../../../engine/dist/support/errors.js"
import { GRPC_STATUS } from "../../../../engine/dist/transports/grpc/refusal-status.js"
import { leakIn } from "../leaks.ts"
import type { GrpcRequest } from "./grpc-request.ts"
import type { GrpcAnswer } from "./grpc-wire.ts"
import type { ProtoSchema } from "./proto-schema.ts"
import { readMessage } from "./read-message.ts"
import { scopeOf } from "./rpc-scopes.ts"

/** The names of the status codes, in the order of their numbers in gRPC. */
const NAMES = ["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS"]
const MORE_NAMES = ["PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE"]
const LAST_NAMES = ["UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"]
const STATUSES = [...NAMES, ...MORE_NAMES, ...LAST_NAMES]

export const statusName = (status: number | undefined): string =>
  status === undefined ? "none" : (STATUSES[status] ?? `${status}`)

export function judgeGrpc(schema: ProtoSchema, request: GrpcRequest, answer: GrpcAnswer): string[] {
  const { rpc, isBroken } = request
  // The library below us refuses broken frames in its own words.
  if (isBroken) return answer.status === 2 || answer.status === 15 ? [`${rpc.name}: ${statusName(answer.status)}`] : []
  if (answer.status === undefined) return [`${rpc.name}: no status: ${answer.failure}`]
  const faults = answer.status === 0 ? judgeSuccess(schema, request, answer) : judgeRefusal(answer)
  const leak = leakIn(answer.message, request.body.toString("latin1"))
  if (leak !== undefined) faults.push(`the message tells ${leak}`)
  return faults.map((fault) => `${rpc.name}: ${fault}`)
}

function judgeSuccess(
  schema: ProtoSchema,
  { rpc, scopes }: GrpcRequest,
  { messages, requestId }: GrpcAnswer,
): string[] {
  const faults: string[] = []
  if (!rpc.streams && messages.length !== 1) faults.push(`${messages.length} messages in the answer`)
  if (requestId === "" && !rpc.streams) faults.push("x-request-id is missing")
  if (!scopeOf(rpc.name, scopes)) faults.push(`OK for a caller with the scopes ${scopes ?? "none"}`)
  for (const message of messages)
    try {
      readMessage(schema, rpc.output, message)
    } catch (error) {
      faults.push((error as Error).message)
    }
  return faults
}

function judgeRefusal({ status, details, message }: GrpcAnswer): string[] {
  const name = statusName(status)
  if (!details) return [`${name} without details: ${message}`]
  const packed = Status.decode(details).details.find(({ typeUrl }) => typeUrl.endsWith("/google.rpc.ErrorInfo"))
  const { reason } = ErrorInfo.decode(packed?.value ?? new Uint8Array())
  if (!(reason in errorCatalogue)) return [`${name}: the reason "${reason}" is not in the catalogue`]
  const expected = GRPC_STATUS[reason as keyof typeof GRPC_STATUS]
  if (reason === "internal-error") return [`${name} ${reason}: ${message}`]
  const fits = name === expected || (reason === "conflict" && name === "ALREADY_EXISTS")
  return fits ? [] : [`${reason} as ${name} instead of ${expected}`]
}
