// One call of gRPC from the dice: whose it is, what it asks, and how it is spoiled.
import { UploadDefinitionRequest } from "@millrace/sdk/proto"
import { definitionMessage } from "../../../../engine/dist/transports/grpc/messages/definitions.js"
import type { Caller, Scopes } from "../rest/rest-request.ts"
import { definitionFor } from "../values/definitions.ts"
import { type Dice, weighted } from "../values/dice.ts"
import { kindOf } from "../values/memory.ts"
import { harmBytes } from "../values/mutate.ts"
import type { Maker } from "../values/schema-values.ts"
import { type MessageMaker, makeMessage } from "./make-message.ts"
import type { ProtoSchema, Rpc } from "./proto-schema.ts"
import { framed } from "./wire-format.ts"

export interface GrpcRequest {
  readonly rpc: Rpc
  readonly headers: Readonly<Record<string, string>>
  /** With their frames. */
  readonly body: Buffer
  readonly scopes: Scopes
  readonly isValid: boolean
  /** Its frames or headers are broken: the library below may answer for us. */
  readonly isBroken: boolean
}

export interface GrpcParts {
  readonly proto: ProtoSchema
  readonly callers: readonly (readonly [number, Caller])[]
  readonly from: string
}

const OFTEN = /StartInstance|PollJobs|CompleteJob|ExchangeJobs|UploadDefinition/
const HARM = 0.15
const ABOUT = 0.8

/** The kinds by which an RPC knows its object. */
const kindsOf = ({ input, name }: Rpc, { messages }: ProtoSchema): string[] =>
  (messages.get(input) ?? []).flatMap((field) =>
    /(_id|_token|^id)$/.test(field.name) ? (field.name === "id" ? idKindOf(name) : kindOf(field.name)) : [],
  )

export function makeCall(maker: Maker, { proto, callers, from }: GrpcParts): GrpcRequest {
  const { dice } = maker
  const rpc = weighted(
    dice,
    proto.rpcs.map((one) => [OFTEN.test(one.name) ? 3 : 1, one]),
  )
  const caller = weighted(dice, callers)
  const how = weighted(dice, [
    [55, "valid"],
    [25, "harmed"],
    [12, "bytes"],
    [8, "broken"],
  ] as const)
  const about = dice.chance(ABOUT) ? maker.memory.belonging(kindsOf(rpc, proto), dice.next()) : {}
  const made = messageFor(
    { ...maker, about, proto, harm: how === "harmed" ? HARM : 0, idKind: idKindOf(rpc.name) },
    rpc,
  )
  const message = how === "bytes" ? harmBytes(dice, made) : made
  const headers = headersFor(dice, { rpc, caller, from })
  const whole = {
    rpc,
    headers,
    body: framed(message),
    scopes: caller.scopes,
    isValid: how === "valid",
    isBroken: false,
  }
  return how === "broken" ? broken(dice, whole, message) : whole
}

const idKindOf = (name: string): string => (name.includes("Definition") ? "definitionId" : "instanceId")

function messageFor(maker: MessageMaker, { name, input }: Rpc): Buffer {
  if (name !== "UploadDefinition" || maker.dice.chance(0.2)) return makeMessage(maker, input)
  const definition = definitionMessage(definitionFor(maker.dice) as never)
  return Buffer.from(UploadDefinitionRequest.encode({ definition }).finish())
}

function headersFor(
  dice: Dice,
  { rpc, caller, from }: { rpc: Rpc; caller: Caller; from: string },
): Record<string, string> {
  return {
    ":method": "POST",
    ":path": rpc.path,
    "content-type": "application/grpc",
    te: "trailers",
    "x-forwarded-for": from,
    ...(caller.authorization === undefined ? {} : { authorization: caller.authorization }),
    ...(dice.chance(0.2) ? { "idempotency-key": `g${dice.between(0, 30)}` } : {}),
    ...(dice.chance(0.2) ? { "grpc-timeout": dice.pick(["10S", "60000m", "1H"]) } : {}),
  }
}

const HEADERS: readonly (readonly [string, string])[] = [
  ["content-type", "application/grpc+json"],
  ["content-type", "text/plain"],
  ["grpc-timeout", "1n"],
  ["grpc-timeout", "-1S"],
  ["grpc-timeout", "99999999999H"],
  ["grpc-encoding", "gzip"],
  ["grpc-encoding", "x"],
  ["idempotency-key", "x".repeat(300)],
  ["x-request-id", "a b"],
  ["traceparent", "00-0-0-0"],
  ["authorization", "Basic YTpi"],
  ["x-data-bin", "not base 64"],
  [":path", "/workflow.v1.WorkflowEngine/Nothing"],
  [":path", "/"],
  [":method", "GET"],
  [":method", "PUT"],
]

function broken(dice: Dice, request: GrpcRequest, message: Buffer): GrpcRequest {
  const how = dice.between(0, 6)
  const spoiled = { ...request, isBroken: true, scopes: undefined }
  if (how <= 2) {
    const [name, value] = dice.pick(HEADERS)
    return { ...spoiled, headers: { ...request.headers, [name]: value } }
  }
  if (how === 3) return { ...spoiled, body: framed(message, { flag: dice.pick([1, 2, 255]) }) }
  if (how === 4)
    return { ...spoiled, body: framed(message, { length: dice.pick([0, message.length + 1, 2 ** 31, 2 ** 32 - 1]) }) }
  if (how === 5) return { ...spoiled, body: Buffer.concat([request.body, request.body]) }
  return { ...spoiled, body: dice.chance(0.5) ? Buffer.alloc(0) : request.body.subarray(0, dice.between(0, 6)) }
}
