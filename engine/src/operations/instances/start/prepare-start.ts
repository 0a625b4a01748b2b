// The first stage of a start: finds the definition and checks the input against its schema.
import type { Transaction } from "../../../db/transaction.ts"
import type { CompiledDefinition } from "../../../model/definitions/compile-definition.ts"
import { inputViolations } from "../../../model/definitions/schemas/told-schemas.ts"
import { isLatest } from "../../../store/definitions/definitions.ts"
import { badRequest, notFound } from "../../../support/errors.ts"
import type { JsonObject } from "../../../support/json.ts"
import { definitionsOf } from "../../definitions/definition-cache.ts"
import { outboxFull, roomOf } from "../../events/room.ts"
import { checkSize } from "../../kernel/check-size.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { PreparedStart, StartRequest } from "./start-request.ts"

export async function prepareStart(kernel: Kernel, request: StartRequest): Promise<PreparedStart> {
  const start = { request, definition: await findDefinition(kernel, request), input: inputOf(kernel, request) }
  return violationsOf(start).length === 0 ? start : prepareAgain(kernel, start)
}

/** A newer version fails our own transaction, which is then run again. A caller's must not fail for that, so the database is asked first. */
export async function prepareWithin(kernel: Kernel, tx: Transaction, request: StartRequest): Promise<PreparedStart> {
  const start = await prepareStart(kernel, request)
  const { id, version } = start.definition
  const isCurrent = tx.isOurs || request.definitionVersion !== undefined || (await isLatest(tx, id, version))
  return isCurrent ? start : prepareAgain(kernel, start)
}

/** An intake is accepted first and looked at later. */
export async function prepareIntake(kernel: Kernel, intakeKey: string, request: StartRequest): Promise<PreparedStart> {
  const input = inputOf(kernel, request)
  const definition = await findDefinition(kernel, request)
  return { intakeKey, definition, input, request: withVariables(request, definition) }
}

function inputOf({ settings }: Kernel, { variables, variablesText, isInherited }: StartRequest): string {
  const text = variablesText ?? JSON.stringify(variables)
  if (!isInherited) checkSize(settings, text, "the variables")
  return text
}

/** The first plan of a list looks at no variable: its text need not be parsed. */
function withVariables(request: StartRequest, { isList }: CompiledDefinition): StartRequest {
  const { variablesText } = request
  if (variablesText === undefined) return request
  return { ...request, variables: isList ? {} : (JSON.parse(variablesText) as JsonObject) }
}

/** With the latest version that the database has now: only the latest version may refuse the input of a start. */
export async function prepareAgain(
  kernel: Kernel,
  { request, intakeKey, input }: PreparedStart,
): Promise<PreparedStart> {
  definitionsOf(kernel).forgetLatest(request.definitionId)
  if (intakeKey !== undefined) return prepareIntake(kernel, intakeKey, request)
  const start = { request, definition: await findDefinition(kernel, request), input }
  const violations = violationsOf(start)
  if (violations.length > 0)
    throw badRequest(`the variables do not fit the input schema of ${start.definition.id}`, violations)
  return start
}

async function findDefinition(
  kernel: Kernel,
  { definitionId, definitionVersion }: Pick<StartRequest, "definitionId" | "definitionVersion">,
): Promise<CompiledDefinition> {
  const definition =
    definitionVersion === undefined
      ? await definitionsOf(kernel).latest(definitionId)
      : await definitionsOf(kernel).version(definitionId, definitionVersion)
  if (definition) return checkRoom(kernel, definition)
  const version = definitionVersion === undefined ? "" : ` version ${definitionVersion}`
  throw notFound(`there is no definition ${definitionId}${version}`)
}

/** A definition whose instances publish their life is refused while too many events wait. */
function checkRoom(kernel: Kernel, definition: CompiledDefinition): CompiledDefinition {
  if (definition.definition.events && roomOf(kernel).isFull) throw outboxFull(kernel)
  return definition
}

/** Judges the input of a start that is written in the way of an intake. */
export async function judgeInput(kernel: Kernel, request: StartRequest): Promise<void> {
  const input = inputOf(kernel, request)
  const start = { request, definition: await findDefinition(kernel, request), input }
  if (violationsOf(start).length > 0) await prepareAgain(kernel, start)
}

const violationsOf = ({ definition, request }: Pick<PreparedStart, "definition" | "request">) =>
  inputViolations(definition, request.variables)
