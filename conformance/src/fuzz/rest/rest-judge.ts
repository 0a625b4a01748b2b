// Holds an answer of REST against the contract: status, content type, body, error code, headers, and who may have it.
import { errorCatalogue } from "../../../../engine/dist/support/errors.js"
import { ACCESS } from "../../../../engine/dist/transports/rest/test-support/access.js"
import type { Contract } from "../../../../engine/dist/transports/rest/test-support/contract.js"
import { leakIn } from "../leaks.ts"
import type { RestAnswer } from "./read-response.ts"
import type { RestRequest } from "./rest-request.ts"

/** Answers of the parser of HTTP, before there is a request that could have an id. */
const BEFORE_REQUEST = [400, 408, 413, 414, 417, 431, 501, 505]
const OPEN = ["anyone", "any-key"]

export function judgeRest(contract: Contract, request: RestRequest, answer: RestAnswer): string[] {
  if (answer.status === 0) return request.raw ? [] : [`no answer: ${answer.failure}`]
  if (!(answer.headers["x-request-id"] ?? "")) return judgeParser(request, answer)
  const { operation, method } = request
  const isAsked = method === operation.method && !isMoved(request)
  const faults = isAsked ? judgeAsked(contract, request, answer) : judgeError(answer)
  const leak = leakIn(answer.text, `${request.target}${request.body ?? ""}`)
  if (!answer.headers["millrace-version"]) faults.push("the header Millrace-Version is missing")
  if (leak !== undefined && operation.id !== "getOpenApi") faults.push(`the answer tells ${leak}`)
  return faults.map((fault) => (fault.startsWith(operation.name) ? fault : `${operation.name}: ${fault}`))
}

/** The path was spoiled: another route may have answered, or none. */
const isMoved = ({ operation, target }: RestRequest): boolean => {
  const [path = ""] = target.split("?", 1)
  return !new RegExp(`^${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path)
}

function judgeParser(request: RestRequest, { status, text }: RestAnswer): string[] {
  if (BEFORE_REQUEST.includes(status) && status < 500) return []
  return [`${status} without a request id, to ${request.method}: ${text.slice(0, 200)}`]
}

function judgeAsked(contract: Contract, request: RestRequest, answer: RestAnswer): string[] {
  const { name } = request.operation
  const body = bodyOf(answer)
  if (body === UNREADABLE) return [`${name} ${answer.status}: the body is no JSON: ${answer.text.slice(0, 200)}`]
  const faults = [...contract.faultsOfAnswer(name, { status: answer.status, text: answer.text, body })]
  if (answer.status >= 400) faults.push(...judgeRefusal(answer, body))
  else if (!mayHave(request))
    faults.push(`${name} ${answer.status} for a caller with the scopes ${request.scopes ?? "none"}`)
  return faults
}

/** An answer of a route that was not meant: that it is an answer of ours. */
function judgeError(answer: RestAnswer): string[] {
  const body = bodyOf(answer)
  if (body === UNREADABLE) return [`${answer.status}: the body is no JSON: ${answer.text.slice(0, 200)}`]
  return answer.status >= 400 && answer.text !== "" ? judgeRefusal(answer, body) : judgeStatus(answer.status)
}

const judgeStatus = (status: number): string[] => (status >= 500 && status !== 503 ? [`the status ${status}`] : [])

const UNREADABLE = Symbol("unreadable")

function bodyOf({ headers, text }: RestAnswer): unknown {
  if (text === "" || !/^application\/json\b/.test(headers["content-type"] ?? "")) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return UNREADABLE
  }
}

interface Refusal {
  readonly error?: string
  readonly requestId?: string
}

function judgeRefusal({ status, headers }: RestAnswer, body: unknown): string[] {
  const { error = "", requestId } = (body ?? {}) as Refusal
  const known = Object.entries(errorCatalogue).find(([code]) => code === error)?.[1]
  if (status === 503 && body !== undefined && error === "") return []
  if (!known) return [`${status}: the code "${error}" is not in the catalogue`]
  const faults = judgeStatus(status)
  if (known.status !== status) faults.push(`${error} with ${status} instead of ${known.status}`)
  if (requestId !== headers["x-request-id"]) faults.push(`${error}: the request id differs from the header`)
  if (known.retryable && !headers["retry-after"]) faults.push(`${error}: the header Retry-After is missing`)
  return faults
}

function mayHave({ operation, scopes }: RestRequest): boolean {
  const needed = ACCESS[operation.name]?.scope ?? "admin"
  if (needed === "anyone") return true
  if (scopes === undefined) return false
  if (OPEN.includes(needed) || scopes.includes("admin")) return true
  return needed === "any-scope"
    ? scopes.length > 0
    : scopes.some((scope) => scope === needed || scope.startsWith(`${needed}:`))
}
