// Plays one call of gRPC: makes it, sends it, judges the answer and learns from it.
import type { Played, Player } from "../player.ts"
import type { Caller } from "../rest/rest-request.ts"
import { judgeGrpc, statusName } from "./grpc-judge.ts"
import { type GrpcRequest, makeCall } from "./grpc-request.ts"
import { type GrpcAnswer, GrpcWire } from "./grpc-wire.ts"
import { loadProtoSchema } from "./proto-schema.ts"
import { readMessage } from "./read-message.ts"

interface Parts {
  readonly url: string
  readonly callers: readonly (readonly [number, Caller])[]
}

export function grpcPlayer({ url, callers }: Parts): Player {
  const wire = new GrpcWire(url)
  const proto = loadProtoSchema()
  return {
    size: proto.rpcs.length,
    async play({ dice, memory, from }) {
      const request = makeCall({ dice, memory, schemas: {}, about: {} }, { proto, callers, from })
      const answer = await wire.send(request)
      const faults = judgeGrpc(proto, request, answer)
      const { name, output } = request.rpc
      if (answer.status === 0 && faults.length === 0)
        for (const message of answer.messages)
          memory.learn(readMessage(proto, output, message), name.includes("Definition") ? "definitionId" : "instanceId")
      return playedOf(request, answer, faults)
    },
    close: () => void wire.close(),
  }
}

const SHOWN = 800

function playedOf(request: GrpcRequest, answer: GrpcAnswer, faults: readonly string[]): Played {
  const { rpc, isValid } = request
  const status = statusName(answer.status)
  return { operation: rpc.name, status, isValid, isSuccess: status === "OK", faults, told: () => told(request, answer) }
}

function told({ rpc, headers, body }: GrpcRequest, answer: GrpcAnswer): string {
  return [
    rpc.name,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value.slice(0, 200)}`),
    `  ${body.subarray(0, SHOWN).toString("base64")}`,
    `answered ${statusName(answer.status)} ${answer.message.slice(0, SHOWN)} ${answer.failure ?? ""}`,
  ].join("\n")
}
