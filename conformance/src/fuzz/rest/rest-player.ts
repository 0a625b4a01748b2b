// Plays one request of REST: makes it, sends it, judges the answer and learns from it.
import type { Contract } from "../../../../engine/dist/transports/rest/test-support/contract.js"
import type { Played, Player } from "../player.ts"
import { idKindOf, type Memory } from "../values/memory.ts"
import type { Schema } from "../values/schema-values.ts"
import { restOperations } from "./operations.ts"
import type { RestAnswer } from "./read-response.ts"
import { judgeRest } from "./rest-judge.ts"
import { adminOf, type Caller, makeRequest, type RestRequest } from "./rest-request.ts"
import { RestWire } from "./rest-wire.ts"
import { undoOf } from "./undo.ts"

interface Parts {
  readonly url: string
  readonly contract: Contract
  readonly callers: readonly (readonly [number, Caller])[]
}

export function restPlayer({ url, contract, callers }: Parts): Player {
  const wire = new RestWire(url)
  const operations = restOperations(contract)
  const schemas = contract.document.components.schemas as Readonly<Record<string, Schema>>
  const admin = adminOf(callers)
  return {
    size: operations.length,
    async play({ dice, memory, from, at }) {
      const request = makeRequest({ dice, memory, schemas }, { operations, callers, from, at })
      const answer = await wire.send(request)
      // By another method it may have been another operation.
      const isDone = answer.status >= 200 && answer.status < 300 && request.method === request.operation.method
      if (isDone) learn(memory, request, answer)
      const undo = isDone ? undoOf(request, answer) : undefined
      if (undo) await wire.send({ ...request, ...undo, ...ofAdmin(admin, from), body: undefined })
      return playedOf(request, answer, judgeRest(contract, request, answer))
    },
    close: () => wire.close(),
  }
}

const ofAdmin = ({ authorization = "" }: Caller, from: string) => ({
  headers: { authorization, "x-forwarded-for": from },
})

function playedOf(request: RestRequest, answer: RestAnswer, faults: readonly string[]): Played {
  const { operation, isValid } = request
  const status = String(answer.status)
  const isSuccess = answer.status >= 200 && answer.status < 400
  return { operation: operation.name, status, isValid, isSuccess, faults, told: () => told(request, answer) }
}

function learn(memory: Memory, { operation, target, said }: RestRequest, { text, headers }: RestAnswer): void {
  const idKind = idKindOf(operation.path)
  memory.learn(said, idKind)
  if (operation.path.includes("{"))
    for (const [at, hole] of operation.path.split("/").entries())
      if (hole.startsWith("{")) memory.keep(hole.slice(1, -1), decode(target.split("?", 1)[0]!.split("/")[at] ?? ""))
  if (!/^application\/json/.test(headers["content-type"] ?? "") || operation.id === "getOpenApi") return
  memory.learn(JSON.parse(text), idKind)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const SHOWN = 1_200

function told({ method, target, headers, body, raw }: RestRequest, answer: RestAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${JSON.stringify(value.slice(0, 200))}`)
  return [
    `${raw ? "by hand: " : ""}${method} ${target.slice(0, SHOWN)}`,
    ...lines,
    ...(body ? [`  ${JSON.stringify(body.toString("utf8").slice(0, SHOWN))}`] : []),
    `answered ${answer.status} ${answer.failure ?? ""} ${answer.text.slice(0, SHOWN)}`,
  ].join("\n")
}
